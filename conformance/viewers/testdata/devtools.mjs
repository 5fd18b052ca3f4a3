// Loads a heap snapshot with the heap snapshot worker of Chrome DevTools and prints
// [name, objects, shallow size, retained size] of each class.
//
// node --experimental-websocket devtools.mjs http://127.0.0.1:PORT FILE
import fs from 'node:fs';

const [base, file] = process.argv.slice(2);
const worker = base + '/devtools/entrypoints/heap_snapshot_worker/heap_snapshot_worker.js';

const page = (await (await fetch(base + '/json/list')).json()).find(t => t.type === 'page');
const socket = new WebSocket(page.webSocketDebuggerUrl);
await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
const waiting = new Map();
let loaded;
const load = new Promise(resolve => { loaded = resolve; });
socket.onmessage = e => {
  const message = JSON.parse(e.data);
  if (message.method === 'Page.loadEventFired') loaded();
  if (message.id) waiting.get(message.id)(message);
};
let last = 0;
const send = (method, params = {}) => new Promise(resolve => {
  waiting.set(++last, resolve);
  socket.send(JSON.stringify({ id: last, method, params }));
});

// The worker is a module of this origin. A page with its text lets it be imported.
await send('Page.enable');
await send('Page.setBypassCSP', { enabled: true });
await send('Page.navigate', { url: worker });
await load;

const expression = `(async () => {
  const worker = await import('${worker}');
  const { port1, port2 } = new MessageChannel();
  new worker.HeapSnapshot.SecondaryInitManager(port2);
  const loader = new worker.HeapSnapshotLoader.HeapSnapshotLoader({ sendEvent() {} });
  loader.write(${JSON.stringify(fs.readFileSync(file, 'utf8'))});
  await loader.close();
  const snapshot = await loader.buildSnapshot(port1);
  const classes = Object.values(snapshot.getAggregatesByClassKey(false, 'allObjects'));
  return JSON.stringify(classes.map(c => [c.name, c.count, c.self, c.maxRet]));
})()`;
const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
const value = answer.result?.result?.value;
if (typeof value !== 'string') {
  console.error(JSON.stringify(answer).slice(0, 2000));
  process.exit(1);
}
console.log(value);
process.exit(0);
