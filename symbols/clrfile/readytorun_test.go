package clrfile_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"os"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// method is what the runtime says of a precompiled method.
type method struct {
	start                 uint64
	size, token           uint32
	namespace, name, file string
	signature             string
}

// precompiledMethods returns the methods of ready-to-run code in the events of a
// trace, each once.
func precompiledMethods(t *testing.T, data []byte) []method {
	t.Helper()
	var methods []method
	modules := map[method]uint64{}
	files := map[uint64]string{}
	for e, err := range codec.NewReader(bytes.NewReader(data), codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		b, runtime := e.Payload(), e.Provider() == "Microsoft-Windows-DotNETRuntime"
		rundown := e.Provider() == "Microsoft-Windows-DotNETRuntimeRundown"
		text := func(pos int) (string, int) {
			units, next := wire.UTF16Z(b, pos)
			return string(wire.AppendUTF16(nil, units)), next
		}
		switch {
		case runtime && e.ID() == 152 || rundown && (e.ID() == 153 || e.ID() == 154):
			id, _ := wire.Uint64(b, 0)
			path, _ := text(24)
			files[id] = path[strings.LastIndexByte(path, '/')+1:]
		case (runtime || rundown) && (e.ID() == 143 || rundown && e.ID() == 144):
			var m method
			module, pos := wire.Uint64(b, 8)
			m.start, pos = wire.Uint64(b, pos)
			m.size, pos = wire.Uint32(b, pos)
			m.token, pos = wire.Uint32(b, pos)
			flags, pos := wire.Uint32(b, pos)
			m.namespace, pos = text(pos)
			m.name, pos = text(pos)
			m.signature, _ = text(pos)
			if _, known := modules[m]; !known && flags&(1<<3|1<<4|1) == 0 { // jitted, helper, dynamic
				modules[m] = module
				methods = append(methods, m)
			}
		}
	}
	for i := range methods {
		methods[i].file = files[modules[methods[i]]]
	}
	return methods
}

// frameworkFolder is the folder of the runtime's assemblies that te unpacks.
func frameworkFolder(t *testing.T, which string) string {
	t.Helper()
	root, err := exec.Command(shared.OtherReader(t), which).Output()
	if err != nil {
		t.Skipf("te %s: %v", which, err)
	}
	folders, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "dotnet/shared/Microsoft.NETCore.App/*"))
	if len(folders) == 0 {
		t.Skipf("te %s: no framework", which)
	}
	return folders[0]
}

// TestReadyToRun: start, size, token and name of the methods in the rundowns are
// those that the images alone give.
func TestReadyToRun(t *testing.T) {
	folders := map[string]string{"net10": frameworkFolder(t, "path"), "net11": frameworkFolder(t, "path11")}
	traces, _ := filepath.Glob(filepath.Join(shared.Dir(t), "lines", "lines-*.zst"))
	images := map[string]*clrfile.ReadyToRun{}
	methods, equal, elsewhere := 0, 0, map[string]int{}
	for _, path := range traces {
		file := filepath.Base(path)
		version := strings.Split(file, ".")[1]
		bases := map[string]map[uint64]int{}
		all := precompiledMethods(t, shared.File(t, "lines/"+file))
		for _, m := range all {
			r := openImage(t, images, folders[version], m.file)
			if r == nil {
				continue
			}
			if bases[m.file] == nil {
				bases[m.file] = map[uint64]int{}
			}
			if p, ok := r.FindToken(m.token); ok {
				bases[m.file][m.start-uint64(p.Address)]++
			}
		}
		for _, m := range all {
			r := openImage(t, images, folders[version], m.file)
			if r == nil {
				elsewhere[m.file]++
				continue
			}
			methods++
			base, most := uint64(0), 0
			for b, n := range bases[m.file] {
				if n > most {
					base, most = b, n
				}
			}
			p, ok := r.Find(uint32(m.start - base))
			typ, name, named := r.Name(p)
			switch {
			case !ok || uint64(p.Address) != m.start-base || p.Size != m.size || p.Token != m.token || !named:
				t.Errorf("%s: %s %+v: the image has %v %+v", file, m.file, m, ok, p)
			case name != m.name && !strings.HasPrefix(name, m.name+"["), p.Token>>24 == 6 && plain(typ) != plain(m.namespace):
				t.Errorf("%s: %s %+v: the image has the name %q %q", file, m.file, m, typ, name)
			case p.Token != 0 && r.Image().Signature(p.Token) != m.signature:
				t.Errorf("%s: %s.%s: signature %q, the runtime has %q", m.file, m.namespace, m.name, r.Image().Signature(p.Token), m.signature)
			default:
				equal++
			}
		}
	}
	t.Logf("%d of %d methods equal, in other files: %v", equal, methods, elsewhere)
	expect.AtLeast(t, "methods", methods, 21_000)
}

// plain is the name of a type without type arguments.
func plain(typ string) string {
	before, _, _ := strings.Cut(typ, "[")
	return before
}

func openImage(t *testing.T, images map[string]*clrfile.ReadyToRun, folder, file string) *clrfile.ReadyToRun {
	path := filepath.Join(folder, file)
	if file == "lines-r2r.dll" {
		path = filepath.Join(shared.Dir(t), "lines/bin", file)
	}
	r, known := images[path]
	if !known {
		if data, err := os.ReadFile(path); err == nil {
			image, err := clrfile.ReadImage(data)
			if err != nil {
				t.Fatal(path, err)
			}
			if r, err = image.ReadyToRun(); err != nil {
				t.Fatal(path, err)
			}
			if r != nil {
				expect.Equal(t, file+": signatures that were not read", r.Unread(), 0)
			}
		}
		images[path] = r
	}
	return r
}
