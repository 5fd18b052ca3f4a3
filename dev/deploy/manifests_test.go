// Package deploy_test checks the manifests, the units and the configurations of the
// folder deploy, where its tests run.
package deploy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/kustomize/api/krusty"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMain runs the tests in the folder that they check.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../deploy"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// kinds has a value of the Kubernetes API for each kind of manifest.
var kinds = map[string]func() any{
	"ConfigMap":     func() any { return new(core.ConfigMap) },
	"DaemonSet":     func() any { return new(apps.DaemonSet) },
	"Deployment":    func() any { return new(apps.Deployment) },
	"Job":           func() any { return new(batch.Job) },
	"Kustomization": func() any { return new(kustomize.Kustomization) },
	"Namespace":     func() any { return new(core.Namespace) },
	"Pod":           func() any { return new(core.Pod) },
}

// others are the files in YAML that are no manifests.
var others = map[string]func() any{
	"kubernetes/debug/profile.yaml": func() any { return new(core.Container) },
}

// decode decodes a manifest. An unknown or repeated key is an error.
func decode(t *testing.T, name string, data []byte) any {
	t.Helper()
	zero, found := others[name]
	if !found {
		var head struct{ Kind string }
		expect.NoError(t, yaml.Unmarshal(data, &head)) // the other keys are decoded below
		if zero, found = kinds[head.Kind]; !found {
			t.Fatalf("%s: kind %q is not in the table of kinds", name, head.Kind)
		}
	}
	object := zero()
	if err := unmarshal(data, object); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return object
}

// unmarshal decodes YAML as a Kubernetes server does that validates strictly: an unknown
// or repeated key is an error, and the case of letters matters.
func unmarshal(data []byte, object any) error {
	text, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return err
	}
	mistakes, err := json.UnmarshalStrict(text, object)
	return errors.Join(append(mistakes, err)...)
}

// TestManifests decodes every file of the folder kubernetes into the types of the API.
func TestManifests(t *testing.T) {
	count := 0
	for name, data := range files(t, "kubernetes", ".yaml") {
		if filepath.Base(name) == "agent.yaml" {
			continue // TestAgentConfigurations
		}
		count++
		t.Run(name, func(t *testing.T) {
			decode(t, name, data)
			expect.Equal(t, "documents in the file", bytes.Count(data, []byte("\n---")), 0)
		})
	}
	expect.AtLeast(t, "manifests", count, 8)
}

// TestDecodeIsStrict tries manifests with mistakes.
func TestDecodeIsStrict(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "kind: Pod\nspec: {shareProcesses: true}", `unknown field "spec.shareProcesses"`},
		{"key in another case", "kind: Pod\nspec: {hostPid: true}", `unknown field "spec.hostPid"`},
		{"key of a wrong type", "kind: Pod\nspec: {hostPID: [1]}", "cannot unmarshal"},
		{"repeated key", "kind: Pod\nspec: {}\nspec: {}", "already set in map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := unmarshal([]byte(c.text), new(core.Pod))
			if err == nil {
				t.Fatal("got no error")
			}
			expect.Contains(t, "error", err.Error(), c.want)
		})
	}
}

// TestAgentConfigurations reads the configurations as nettrace agent does.
func TestAgentConfigurations(t *testing.T) {
	count := 0
	for _, folder := range []string{"kubernetes", "systemd"} {
		for name, data := range files(t, folder, "agent.yaml") {
			count++
			t.Run(name, func(t *testing.T) {
				parsed, err := config.Parse(data)
				expect.NoError(t, err)
				expect.NotZero(t, "targets", len(parsed.Targets))
			})
		}
	}
	expect.Equal(t, "configurations", count, 2)
}

// version returns the version that the modules of this repository require of each other.
func version(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../go.mod")
	expect.NoError(t, err)
	found := regexp.MustCompile(`nettrace-go/nettrace/codec (v\S+)`).FindSubmatch(text)
	expect.Len(t, "version of codec in go.mod", found, 2)
	return string(found[1])
}

// TestVersions: the manifests and their description name the version of the modules.
func TestVersions(t *testing.T) {
	texts := files(t, "kubernetes", ".yaml")
	maps.Copy(texts, files(t, ".", "README.md"))
	count := 0
	for name, text := range texts {
		for _, found := range regexp.MustCompile(`\bv\d+\.\d+\.\d+`).FindAllString(string(text), -1) {
			count++
			expect.Equal(t, "version in "+name, found, version(t))
		}
	}
	expect.AtLeast(t, "versions", count, 6)
}

// files returns the files below a folder whose names end with suffix.
func files(t *testing.T, folder, suffix string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		found[filepath.ToSlash(path)], err = os.ReadFile(path)
		return err
	})
	expect.NoError(t, err)
	return found
}

// build returns the objects that kubectl apply -k makes of a folder, by their kind.
func build(t *testing.T, folder string) map[string]any {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	expect.NoError(t, err)
	objects := map[string]any{}
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		expect.NoError(t, err)
		objects[resource.GetKind()] = decode(t, folder, text)
	}
	return objects
}

// TestSidecar checks what the sidecar needs to reach the application.
func TestSidecar(t *testing.T) {
	deployment := build(t, "kubernetes/sidecar")["Deployment"].(*apps.Deployment)
	expect.Equal(t, "name", deployment.Name, "shop")
	pod := deployment.Spec.Template.Spec
	expect.Equal(t, "shared process namespace", *pod.ShareProcessNamespace, true)
	app, nettrace := container(t, pod.Containers, "app"), container(t, pod.Containers, "nettrace")
	expect.Equal(t, "volume at /tmp of nettrace", mountedAt(nettrace, "/tmp"), mountedAt(app, "/tmp"))
	expect.NotZero(t, "volume at /tmp", mountedAt(nettrace, "/tmp"))
	expect.Equal(t, "image", nettrace.Image, "ghcr.io/nettrace-go/nettrace:"+version(t))
	for _, c := range pod.Containers {
		if s := c.SecurityContext; s != nil && s.RunAsUser != nil {
			t.Errorf("container %s has the user %d of its own", c.Name, *s.RunAsUser)
		}
	}
	checkVolumes(t, pod)
	output := ""
	for _, arg := range nettrace.Args {
		if path, found := strings.CutPrefix(arg, "--output="); found {
			output = mountedAt(nettrace, filepath.Dir(path))
		}
	}
	expect.Equal(t, "volume of the files", output, "traces")
}

// TestDaemonSet checks what the agent needs to reach the processes of a node.
func TestDaemonSet(t *testing.T) {
	objects := build(t, "kubernetes/daemonset")
	set := objects["DaemonSet"].(*apps.DaemonSet)
	expect.Equal(t, "namespace", set.Namespace, objects["Namespace"].(*core.Namespace).Name)
	pod := set.Spec.Template.Spec
	expect.Equal(t, "process ids of the host", pod.HostPID, true)
	agent := container(t, pod.Containers, "agent")
	expect.Equal(t, "user", *agent.SecurityContext.RunAsUser, 0)
	expect.Slices(t, "capabilities", agent.SecurityContext.Capabilities.Add, []core.Capability{"SYS_PTRACE", "DAC_OVERRIDE"})
	checkVolumes(t, pod)
	settings := objects["ConfigMap"].(*core.ConfigMap)
	volume := pod.Volumes[slices.IndexFunc(pod.Volumes, func(v core.Volume) bool { return v.ConfigMap != nil })]
	expect.Equal(t, "name of the ConfigMap", volume.ConfigMap.Name, settings.Name)
	parsed, err := config.Parse([]byte(settings.Data["agent.yaml"]))
	expect.NoError(t, err)
	_, port, _ := strings.Cut(parsed.Admin, ":")
	expect.Equal(t, "port of the probes", port, set.Spec.Template.Annotations["prometheus.io/port"])
	for what, probe := range map[string]*core.Probe{"readiness": agent.ReadinessProbe, "liveness": agent.LivenessProbe} {
		expect.Equal(t, "port of the probe of "+what, probe.HTTPGet.Port.String(), agent.Ports[0].Name)
	}
}

// TestJob: the Job has as many pods as shards, and a shard that is run again replaces its
// file.
func TestJob(t *testing.T) {
	job := decodeFile[*batch.Job](t, "kubernetes/summarize/job.yaml").Spec
	expect.Equal(t, "mode", *job.CompletionMode, batch.IndexedCompletion)
	expect.Equal(t, "pods at the same time", *job.Parallelism, *job.Completions)
	expect.Equal(t, "restart policy", job.Template.Spec.RestartPolicy, core.RestartPolicyNever)
	one := container(t, job.Template.Spec.Containers, "summarize")
	for _, want := range []string{
		fmt.Sprintf("--shard=$(JOB_COMPLETION_INDEX)/%d", *job.Completions), "--output=/sums/$(JOB_COMPLETION_INDEX).nts", "--force",
	} {
		expect.Equal(t, want+" is an argument", slices.Contains(one.Args, want), true)
	}
	expect.Slices(t, "exit codes without another try", job.PodFailurePolicy.Rules[0].OnExitCodes.Values, []int32{1})
	checkVolumes(t, job.Template.Spec)
}

// TestDebugProfile checks that kubectl debug accepts the profile: it refuses these keys.
func TestDebugProfile(t *testing.T) {
	const name = "kubernetes/debug/profile.yaml"
	data, err := os.ReadFile(name)
	expect.NoError(t, err)
	profile := decode(t, name, data).(*core.Container)
	expect.Equal(t, "name", profile.Name, "")
	expect.Equal(t, "image", profile.Image, "")
	expect.Len(t, "command", profile.Command, 0)
	expect.Equal(t, "lifecycle", profile.Lifecycle, nil)
	expect.Len(t, "volume devices", profile.VolumeDevices, 0)
	pod := decodeFile[*core.Pod](t, "kubernetes/debug/ephemeral.yaml")
	expect.Equal(t, "user", *profile.SecurityContext.RunAsUser, *pod.Spec.EphemeralContainers[0].SecurityContext.RunAsUser)
}

func decodeFile[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile(name)
	expect.NoError(t, err)
	return decode(t, name, data).(T)
}

func container(t *testing.T, list []core.Container, name string) core.Container {
	t.Helper()
	i := slices.IndexFunc(list, func(c core.Container) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("there is no container %s", name)
	}
	return list[i]
}

// mountedAt returns the volume that a container has at a path.
func mountedAt(c core.Container, path string) string {
	for _, m := range c.VolumeMounts {
		if m.MountPath == path {
			return m.Name
		}
	}
	return ""
}

// checkVolumes demands that each mounted volume exists.
func checkVolumes(t *testing.T, pod core.PodSpec) {
	t.Helper()
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("container %s mounts the volume %s, which does not exist", c.Name, m.Name)
			}
		}
	}
}
