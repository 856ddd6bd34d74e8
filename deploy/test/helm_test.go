package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

const chartPath = root + "/deploy/helm/parley"

// values of the shapes that are rendered.
var shapes = map[string]string{
	"as it is": ``,
	"everything": `
image: {repository: registry.example.com/parley, tag: v1.2.3}
imagePullSecrets: [{name: registry}]
settings: {PARLEY_RECORDING_BUCKET: "s3://calls/parley", PARLEY_MAX_CONNECTIONS: "20000"}
trustedProxies: [10.0.0.0/8]
maxCallSeconds: 7200
api:
  replicas: 3
  podAnnotations: {example.com/team: voice}
  nodeSelector: {disk: ssd}
  tolerations: [{key: voice, operator: Exists}]
  affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
worker:
  podAnnotations: {example.com/team: voice}
  nodeSelector: {disk: ssd}
  tolerations: [{key: voice, operator: Exists}]
  affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
  autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 50, freeSlots: 80}
ingress: {enabled: true, className: nginx, annotations: {cert-manager.io/cluster-issuer: letsencrypt}}
monitoring: {serviceMonitor: true, rule: true, labels: {release: prometheus}}
networkPolicy:
  enabled: true
  ingressFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress-nginx}}}]
serviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/parley"}}
`,
	"embedded": `
embedded: {enabled: true, nodeIP: 203.0.113.10, storage: {className: fast}, nodeSelector: {voice: "true"}, tolerations: [{operator: Exists}]}
networkPolicy: {enabled: true}
ingress: {enabled: true}
monitoring: {serviceMonitor: true}
`,
}

// object is a rendered object of one of the kinds below.
type object struct {
	meta.TypeMeta
	name   string
	object any
}

// kinds are the types that objects are decoded into, strictly: an unknown or double field is an error.
var kinds = map[string]func() meta.Object{
	"apps/v1 Deployment":                      func() meta.Object { return new(apps.Deployment) },
	"apps/v1 StatefulSet":                     func() meta.Object { return new(apps.StatefulSet) },
	"autoscaling/v2 HorizontalPodAutoscaler":  func() meta.Object { return new(autoscaling.HorizontalPodAutoscaler) },
	"batch/v1 Job":                            func() meta.Object { return new(batch.Job) },
	"monitoring.coreos.com/v1 PrometheusRule": func() meta.Object { return new(monitoring.PrometheusRule) },
	"monitoring.coreos.com/v1 ServiceMonitor": func() meta.Object { return new(monitoring.ServiceMonitor) },
	"networking.k8s.io/v1 Ingress":            func() meta.Object { return new(networking.Ingress) },
	"networking.k8s.io/v1 NetworkPolicy":      func() meta.Object { return new(networking.NetworkPolicy) },
	"policy/v1 PodDisruptionBudget":           func() meta.Object { return new(policy.PodDisruptionBudget) },
	"v1 Service":                              func() meta.Object { return new(core.Service) },
	"v1 ServiceAccount":                       func() meta.Object { return new(core.ServiceAccount) },
}

func parleyChart(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(chartPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// render is what `helm template` makes of the chart with these values.
func render(t *testing.T, values string) (objects []object) {
	t.Helper()
	c := parleyChart(t)
	var given map[string]any
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "voice", Namespace: "calls", Revision: 1, IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Engine{Strict: true}.Render(c, all)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		if !strings.HasSuffix(path, ".yaml") {
			continue
		}
		for part := range strings.SplitSeq("\n"+text, "\n---") {
			var head meta.TypeMeta
			if err := yaml.Unmarshal([]byte(part), &head); err != nil {
				t.Fatalf("%s: %v\n%s", path, err, part)
			}
			if head.Kind == "" {
				continue
			}
			make, known := kinds[head.APIVersion+" "+head.Kind]
			if !known {
				t.Fatalf("%s has a %s %s, which no test decodes", path, head.APIVersion, head.Kind)
			}
			o := make()
			if err := yaml.UnmarshalStrict([]byte(part), o); err != nil {
				t.Fatalf("%s: %v\n%s", path, err, part)
			}
			objects = append(objects, object{head, o.GetName(), o})
		}
	}
	return objects
}

// one is the only object of its type with this name.
func one[T any](t *testing.T, objects []object, name string) T {
	t.Helper()
	var found []T
	for _, o := range objects {
		if typed, is := o.object.(T); is && o.name == name {
			found = append(found, typed)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of type %T with the name %s", len(found), *new(T), name)
	}
	return found[0]
}

// Each shape renders to valid objects, whose pods keep the rules of the restricted profile, name their secrets by reference, and
// are found by the selectors that are meant for them.
func TestChartRenders(t *testing.T) {
	for name, values := range shapes {
		t.Run(name, func(t *testing.T) {
			objects := render(t, values)
			seen := map[string]bool{}
			var pods []core.PodTemplateSpec
			for _, o := range objects {
				id := o.Kind + "/" + o.name
				if seen[id] {
					t.Errorf("%s is there twice", id)
				}
				seen[id] = true
				switch typed := o.object.(type) {
				case *apps.Deployment:
					pods = append(pods, typed.Spec.Template)
					matches(t, id, typed.Spec.Selector.MatchLabels, typed.Spec.Template.Labels)
				case *apps.StatefulSet:
					pods = append(pods, typed.Spec.Template)
					matches(t, id, typed.Spec.Selector.MatchLabels, typed.Spec.Template.Labels)
				case *batch.Job:
					pods = append(pods, typed.Spec.Template)
				}
			}
			for _, pod := range pods {
				restricted(t, pod)
			}
			for _, o := range objects {
				var selector map[string]string
				switch typed := o.object.(type) {
				case *core.Service:
					selector = typed.Spec.Selector
				case *policy.PodDisruptionBudget:
					selector = typed.Spec.Selector.MatchLabels
				case *networking.NetworkPolicy:
					selector = typed.Spec.PodSelector.MatchLabels
				default:
					continue
				}
				if !slices.ContainsFunc(pods, func(p core.PodTemplateSpec) bool { return contains(p.Labels, selector) }) {
					t.Errorf("%s %s selects no pod: %v", o.Kind, o.name, selector)
				}
			}
		})
	}
}

func contains(labels, wanted map[string]string) bool {
	for k, v := range wanted {
		if labels[k] != v {
			return false
		}
	}
	return len(wanted) > 0
}

func matches(t *testing.T, id string, selector, labels map[string]string) {
	t.Helper()
	if !contains(labels, selector) {
		t.Errorf("%s does not select its own pods", id)
	}
}

// restricted checks the rules of https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, except for the
// host's network of the embedded media server.
func restricted(t *testing.T, pod core.PodTemplateSpec) {
	t.Helper()
	s := pod.Spec.SecurityContext
	if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("security context of the pod: %+v", s)
	}
	if pod.Spec.AutomountServiceAccountToken == nil || *pod.Spec.AutomountServiceAccountToken {
		t.Error("the pod gets a token for Kubernetes")
	}
	for _, c := range pod.Spec.Containers {
		s := c.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
			t.Errorf("security context of %s: %+v", c.Name, s)
		}
		if len(c.EnvFrom) != 1 || c.EnvFrom[0].SecretRef == nil {
			t.Errorf("%s has its secrets from %+v", c.Name, c.EnvFrom)
		}
		for _, v := range c.Env {
			if strings.Contains(v.Name, "SECRET") || strings.Contains(v.Name, "PASSWORD") || strings.HasSuffix(v.Name, "_KEY") || v.Name == "DATABASE_URL" {
				t.Errorf("%s has the secret %s in its description", c.Name, v.Name)
			}
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s has no requests or limits", c.Name)
		}
	}
}

// Workers drain for longer than calls last, and Kubernetes ends no calls by itself.
func TestChartDrains(t *testing.T) {
	objects := render(t, shapes["everything"])
	worker := one[*apps.Deployment](t, objects, "voice-parley-worker")
	if grace := *worker.Spec.Template.Spec.TerminationGracePeriodSeconds; grace != 7320 {
		t.Errorf("workers have %d s to end calls of 7200 s", grace)
	}
	if got := variable(worker.Spec.Template, "PARLEY_MAX_CALL_DURATION"); got != "7200s" {
		t.Errorf("calls last %s", got)
	}
	if worker.Spec.Replicas != nil {
		t.Error("the Deployment and the autoscaler both decide how many workers there are")
	}
	if p := worker.Spec.Template.Spec.Containers[0].LivenessProbe.HTTPGet.Path; p != "/health/live" {
		t.Errorf("liveness asks %s", p)
	}
	api := one[*apps.Deployment](t, objects, "voice-parley-api").Spec.Template
	if c := api.Spec.Containers[0]; c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.ReadinessProbe.HTTPGet.Path != "/health/ready" {
		t.Errorf("the API does not drain: %+v, %+v", c.Lifecycle, c.ReadinessProbe)
	}
	if got := variable(api, "PARLEY_DRAIN_DELAY"); got != "10s" || *api.Spec.TerminationGracePeriodSeconds != 70 {
		t.Errorf("the API drains for %s of %d s", got, *api.Spec.TerminationGracePeriodSeconds)
	}
	if b := one[*policy.PodDisruptionBudget](t, objects, "voice-parley-worker"); *b.Spec.MaxUnavailable != intstr.FromInt32(1) {
		t.Errorf("%v workers may be unavailable", b.Spec.MaxUnavailable)
	}
	if b := one[*policy.PodDisruptionBudget](t, objects, "voice-parley-api"); *b.Spec.MinAvailable != intstr.FromInt32(1) {
		t.Errorf("%v API nodes stay", b.Spec.MinAvailable)
	}
}

func variable(pod core.PodTemplateSpec, name string) string {
	for _, v := range pod.Spec.Containers[0].Env {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

// The autoscaler asks for what the rule records.
func TestChartScalesOnFreeSlots(t *testing.T) {
	objects := render(t, shapes["everything"])
	scaler := one[*autoscaling.HorizontalPodAutoscaler](t, objects, "voice-parley-worker")
	rule := one[*monitoring.PrometheusRule](t, objects, "voice-parley").Spec.Groups[0].Rules[0]
	m := scaler.Spec.Metrics[0].External
	if m == nil || m.Metric.Name != rule.Record || m.Target.AverageValue.String() != "40" || rule.Labels["release"] != m.Metric.Selector.MatchLabels["release"] {
		t.Errorf("the autoscaler asks for %+v, the rule records %+v", m, rule)
	}
	documented, err := os.ReadFile(root + "/docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, series := range []string{"worker_slots", "worker_slots_free", "callers_waiting"} {
		if !strings.Contains(rule.Expr.String(), series+"{") || !strings.Contains(string(documented), "`"+series+"`") {
			t.Errorf("the rule does not use %s, which docs/metrics.md has: %s", series, rule.Expr.String())
		}
	}
	if !strings.HasSuffix(rule.Expr.String(), "+ 80") {
		t.Errorf("not 80 free slots: %s", rule.Expr.String())
	}
	monitor := one[*monitoring.ServiceMonitor](t, objects, "voice-parley")
	for _, name := range []string{"voice-parley", "voice-parley-worker"} {
		service := one[*core.Service](t, objects, name)
		if !contains(service.Labels, monitor.Spec.Selector.MatchLabels) || !slices.ContainsFunc(service.Spec.Ports, func(p core.ServicePort) bool { return p.Name == monitor.Spec.Endpoints[0].Port }) {
			t.Errorf("Prometheus does not find %s", name)
		}
	}
}

// The embedded media server is reached at ports of the node.
func TestChartOpensPortsOfTheNode(t *testing.T) {
	pod := one[*apps.StatefulSet](t, render(t, shapes["embedded"]), "voice-parley").Spec.Template
	if !pod.Spec.HostNetwork || variable(pod, "PARLEY_RTC_NODE_IP") != "203.0.113.10" {
		t.Errorf("host network %t, node %s", pod.Spec.HostNetwork, variable(pod, "PARLEY_RTC_NODE_IP"))
	}
	var ports []string
	for _, p := range pod.Spec.Containers[0].Ports {
		if p.HostPort != p.ContainerPort {
			t.Errorf("%s: port %d of the node is %d of the container", p.Name, p.HostPort, p.ContainerPort)
		}
		ports = append(ports, fmt.Sprintf("%d/%s", p.HostPort, p.Protocol))
	}
	for _, want := range []string{"7881/", "7882/UDP", "5060/UDP"} {
		if !slices.Contains(ports, want) {
			t.Errorf("the ports are %q, without %s", ports, want)
		}
	}
}

// On the node's network no policy keeps strangers away: the embedded server has no port that shows metrics without a credential.
func TestChartKeepsMetricsFromTheNodesNetwork(t *testing.T) {
	objects := render(t, shapes["embedded"]+"monitoring: {serviceMonitor: true}\n")
	pod := one[*apps.StatefulSet](t, objects, "voice-parley").Spec.Template
	if address := variable(pod, "PARLEY_METRICS_ADDR"); address != "" {
		t.Errorf("metrics without a credential at %s", address)
	}
	for _, p := range pod.Spec.Containers[0].Ports {
		if p.HostPort == 9090 {
			t.Errorf("port %d of the node", p.HostPort)
		}
	}
	endpoint := one[*monitoring.ServiceMonitor](t, objects, "voice-parley").Spec.Endpoints[0]
	if a := endpoint.Authorization; a == nil || a.Credentials == nil || a.Credentials.Key != "PARLEY_METRICS_TOKEN" {
		t.Errorf("Prometheus has no token: %+v", a)
	}
	service := one[*core.Service](t, objects, "voice-parley")
	at := slices.IndexFunc(service.Spec.Ports, func(p core.ServicePort) bool { return p.Name == endpoint.Port })
	if at < 0 || service.Spec.Ports[at].TargetPort.StrVal != "http" {
		t.Errorf("Prometheus reads %+v", service.Spec.Ports)
	}
}

// Misspelt values are refused.
func TestChartRefusesUnknownValues(t *testing.T) {
	for values, complaint := range map[string]string{
		`worker: {replica: 3}`:           "replica",
		`workers: {replicas: 3}`:         "workers",
		`worker: {capacity: many}`:       "capacity",
		`publicURL: voice.example.com`:   "publicURL",
		`settings: {JWT_SECRET: secret}`: "JWT_SECRET",
	} {
		var given map[string]any
		if err := yaml.Unmarshal([]byte(values), &given); err != nil {
			t.Fatal(err)
		}
		_, err := chartutil.ToRenderValues(parleyChart(t), given, chartutil.ReleaseOptions{Name: "voice"}, chartutil.DefaultCapabilities)
		if err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%s: %v", values, err)
		}
	}
	// The schema knows the values of values.yaml, and no others.
	if _, err := os.Stat(filepath.Join(chartPath, "values.schema.json")); err != nil {
		t.Error(err)
	}
}
