{{- define "parley.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "parley.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* The restricted profile of the Pod Security Standards. */}}
{{- define "parley.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "parley.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* Variables of all processes. Secrets come by reference. */}}
{{- define "parley.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.secretName }}
env:
  - {name: PARLEY_LOG_FORMAT, value: json}
  - {name: PARLEY_PUBLIC_URL, value: {{ .Values.publicURL | quote }}}
  - {name: PARLEY_MAX_CALL_DURATION, value: {{ printf "%ds" (int .Values.maxCallSeconds) | quote }}}
  {{- if not .Values.embedded.enabled }}
  - {name: LIVEKIT_URL, value: {{ required "livekit.url is required without embedded.enabled" .Values.livekit.url | quote }}}
  - {name: PARLEY_PROXY_SIGNALLING, value: {{ .Values.livekit.proxySignalling | quote }}}
  {{- end }}
  {{- with .Values.trustedProxies }}
  - {name: PARLEY_TRUSTED_PROXIES, value: {{ join "," . | quote }}}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
{{- end }}

{{/* Liveness never asks for readiness: while the database is unavailable, calls continue. A start may migrate. */}}
{{- define "parley.probes" -}}
startupProbe:
  httpGet: {path: /health/live, port: {{ .port }}}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /health/live, port: {{ .port }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /health/ready, port: {{ .port }}}
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{- define "parley.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "parley.selector" . | nindent 8 }}
{{- end }}
