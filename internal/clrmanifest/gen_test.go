package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestCommitted generates the files and compares them with the committed ones.
func TestCommitted(t *testing.T) {
	files, err := generate("data")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what its generator writes: run go generate ./internal/clrmanifest", name)
		}
	}
}

// TestSize: the table is part of every program that imports clr.
func TestSize(t *testing.T) {
	const limit = 100_000
	table, err := os.ReadFile("../../codec/clr/manifest.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(table) > limit {
		t.Errorf("%d bytes, at most %d are wanted", len(table), limit)
	}
}

const etw = `<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
<provider name="Microsoft-Windows-DotNETRuntime" guid="{E13C0D23-CCBC-4E12-931B-D9CC2EEE27E4}">
<keywords><keyword name="GC" mask="0x1"/><keyword name="Jit" mask="0x10"/></keywords>
<tasks><task name="Collection"><opcodes><opcode name="Tick" value="11"/></opcodes></task></tasks>
<maps>
<valueMap name="KindMap"><map value="0x0" message="$(string.X.Kind.SmallMapMessage)"/></valueMap>
<bitMap name="FlagsMap"><map value="0x2" message="$(string.X.Flags.Second)"/></bitMap>
</maps>
<templates>
<template tid="One"><data name="Count" inType="win:UInt32" outType="win:HexInt32"/>
<struct name="Values" count="Count"><data name="Flag" inType="win:UInt8" map="FlagsMap"/><data name="Name" inType="win:UnicodeString"/></struct>
<UserData><One xmlns="myNs"><Count> %1 </Count></One></UserData></template>
<template tid="Two"><data name="Kind" inType="win:UInt32" map="KindMap"/><data name="Size" inType="win:UInt32"/>
<data name="Begin" count="1" inType="win:Pointer"/><data name="Data" inType="win:Binary" length="Size"/></template>
</templates>
<events>
<event value="1" version="0" level="win:Verbose" template="One" keywords="GC Jit" opcode="win:Start" task="Collection" symbol="First"/>
<event value="2" version="1" level="win:Informational" template="Two" keywords="GC" opcode="Tick" task="Collection" symbol="Second_V1"/>
</events></provider></events></instrumentation></instrumentationManifest>`

const native = "id\tversion\topcode\ttask\tlevel\tkeywords\tmethod\tparams\n" +
	"1\t0\t0\t0\t4\t0x11\tFirst\tCount:UInt32\n" +
	"2\t2\t0\t0\t4\t0x1\tNewer_V2\tKind:UInt32;Added:IntPtr\n" +
	"3\t0\t7\t9\t2\t0x1\tThird\tWhy:WhyMap(Byte);Sure:Boolean\n"

const names = "Tasks\tThinking\t9\nOpcodes\tWonder\t7\nKeywords\tGCKeyword\t0x1\nWhyMap\tBecause\t0\n"

const managed = "provider\ttype\tid\tversion\topcode\ttask\tlevel\tkeywords\ttags\tchannel\tname\tmethod\tparams\tmessage\n" +
	"Plain\tT\t1\t0\t0\t0\t4\t0x0\t0\t0\tHas\tHas\tA:Int32\ttext\n" +
	"Bytes\tT\t4\t0\t0\t0\t5\t0x2\t0\t0\tDump\tDump\tWho:String;What:Byte[]\ttext\n" +
	"Lists\tT\t6\t0\t0\t0\t4\t0x2\t0\t0\tActivityStop\tActivityStop\tLevel:LogLevel(Int32);More:IEnumerable`1\ttext\n"

const wanted = heading + `provider	Microsoft-Windows-DotNETRuntime	e13c0d23-ccbc-4e12-931b-d9cc2eee27e4
keyword	1	GCKeyword
keyword	10	Jit
bits	FlagsMap	2=Second
map	KindMap	0=Small 1=Large
map	WhyMap	0=Because
fields	Count:u32 Values:{Flag:u8/FlagsMap,Name:str}[Count]
event	1	0	First	Collection	Start	1	4	11	0
fields	Kind:u32/KindMap Size:u32 Begin:ptr Data:u8[Size]
event	2	1	Newer	Collection	Tick	11	4	1	1
fields	Kind:u32/KindMap Added:ptr Tail:u8
event	2	2	Newer	Collection	Tick	11	4	1	2
fields	Why:u8/WhyMap Sure:bool
event	3	0	Third	Thinking	Wonder	7	2	1	3
provider	Bytes	-
fields	Who:str WhatSize:u32 What:u8[WhatSize]
event	4	0	Dump	-	-	0	5	2	0
provider	Lists	-
fields	Level:i32 More:{Key:str,Value:str}[]
event	*	0	ActivityStop	-	Stop	2	4	2	0
`

// TestGenerate generates tables from small lists.
func TestGenerate(t *testing.T) {
	m := &manifest{}
	for _, step := range []struct {
		read    func(*manifest, []byte) error
		content string
	}{{readETW, etw}, {readNative, native}, {readNames, names}, {readManaged, managed}} {
		if err := step.read(m, []byte(step.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := applyFacts(m, "provider "+runtime+"\nmap KindMap 1 Large # later\ntail 2 2 Tail:u8\n"); err != nil {
		t.Fatal(err)
	}
	if err := m.finish(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	m.write(&b)
	if b.String() != wanted {
		t.Errorf("got\n%swant\n%s", &b, wanted)
	}
}

// TestContradictions: lists that cannot all be right are refused.
func TestContradictions(t *testing.T) {
	for name, c := range map[string]struct{ native, facts string }{
		"other-type":      {"1\t0\t0\t0\t4\t0x1\tFirst\tCount:UInt64", ""},
		"other-name":      {"1\t0\t0\t0\t4\t0x1\tFirst\tNumber:UInt32", ""},
		"more-fields":     {"2\t1\t0\t0\t4\t0x1\tSecond\tKind:UInt32;Size:UInt32;Begin:IntPtr;Data:Byte;More:Byte", ""},
		"unknown-type":    {"9\t0\t0\t0\t4\t0x1\tNinth\tA:Half", ""},
		"no-number":       {"9\tx\t0\t0\t4\t0x1\tNinth\tA:Byte", ""},
		"task-without":    {"9\t0\t0\t8\t4\t0x1\tNinth\tA:Byte", ""},
		"columns":         {"9\t0", ""},
		"no-provider":     {"", "keyword 1 A"},
		"unknown-fact":    {"", "provider A\nnothing 1 2 3"},
		"too-few-words":   {"", "provider A\nmap KindMap 1"},
		"amend-nothing":   {"", "provider A\ntail 1 0 B:u8"},
		"known-already":   {"", "provider " + runtime + "\nevent 1 0 First - - 0 4 0"},
		"no-such-map":     {"", "provider " + runtime + "\nuse 1 Count Nothing"},
		"no-map-nested":   {"", "provider A\nevent 1 0 B - - 0 4 0 C:{D:u8/Nothing}[]"},
		"twice":           {"", "provider A\nnamed 0 B - - 0 4 0\nnamed 0 B - - 0 4 0"},
		"fact-no-number":  {"", "provider A\nkeyword one A"},
		"amend-no-number": {"", "provider " + runtime + "\ntask 1 A B C"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &manifest{}
			err := readETW(m, []byte(etw))
			if err == nil && c.native != "" {
				err = readNative(m, []byte(strings.SplitAfter(native, "\n")[0]+c.native))
			}
			if err == nil {
				err = readNames(m, []byte(names))
			}
			if err == nil {
				err = applyFacts(m, c.facts)
			}
			if err == nil {
				err = m.finish()
			}
			if err == nil {
				t.Error("no objection")
			}
		})
	}
}
