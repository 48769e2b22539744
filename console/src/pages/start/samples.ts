/** A way to send the first event, ready to be copied. */
export interface Sample {
  readonly title: string;
  /** A description of the code for screen readers, such as "the curl command". */
  readonly name: string;
  readonly code: string;
  /** Describes the result of the code, or what to use afterwards. */
  readonly about: string;
}

const EVENT = {
  event_type: 'http.request',
  source: 'web',
  payload: { method: 'GET', path: '/cart', status_code: 200, latency_ms: 41 },
};
const EVENT_JSON = JSON.stringify(EVENT);

export const BROWSER = 'Browser';

/** Returns the same event in every language. The code needs no packages, so that it runs where it is pasted. */
export function samplesFor(origin: string, key: string, browserKey: string): readonly Sample[] {
  return [
    {
      title: 'curl',
      name: 'the curl command',
      code: byCurl(origin, key),
      about: 'It prints the id of the stored event.',
    },
    {
      title: 'TypeScript',
      name: 'the TypeScript program',
      code: byTypeScript(origin, key),
      about: `For Node 20 or newer, as a module (.mts, .mjs). ${clientIn('typescript')}`,
    },
    {
      title: 'Python',
      name: 'the Python program',
      code: byPython(origin, key),
      about: `For Python 3.9 or newer. ${clientIn('python')}`,
    },
    {
      title: 'Go',
      name: 'the Go program',
      code: byGo(origin, key),
      about: `Save it as main.go and start it with "go run main.go". ${clientIn('go')}`,
    },
    {
      title: 'OpenTelemetry',
      name: 'the OpenTelemetry variables',
      code: byOtlpVariables(origin, key),
      about:
        'Start a program with an OpenTelemetry SDK under these variables. Each request that it serves becomes an event http.request, each log record an event log.',
    },
    {
      title: 'Collector',
      name: 'the collector configuration',
      code: byCollector(origin, key),
      about: 'Start it with "otelcol --config" and the name of the file. Programs send to the collector at port 4318.',
    },
    {
      title: BROWSER,
      name: 'the script of a web page',
      code: inBrowser(origin, browserKey),
      about: `Put it into a page of your site. Each visit sends an event. ${clientIn('typescript')}`,
    },
  ];
}

function clientIn(folder: string): string {
  return `A program that sends many events uses the client in clients/${folder}: it sends batches, repeats failed requests and never waits.`;
}

function byCurl(origin: string, key: string): string {
  return `curl ${origin}/v1/events/ingest \\
  -H 'X-API-Key: ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '${EVENT_JSON}'`;
}

function byTypeScript(origin: string, key: string): string {
  return `const response = await fetch('${origin}/v1/events/ingest', {
  method: 'POST',
  headers: { 'X-API-Key': '${key}', 'Content-Type': 'application/json' },
  body: JSON.stringify(${EVENT_JSON}),
});
console.log(response.status, await response.json());`;
}

function byPython(origin: string, key: string): string {
  return `import json
import urllib.request

event = ${EVENT_JSON}
request = urllib.request.Request(
    "${origin}/v1/events/ingest",
    data=json.dumps(event).encode(),
    headers={"X-API-Key": "${key}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
}

function byGo(origin: string, key: string): string {
  return `package main

import (
	"fmt"
	"net/http"
	"strings"
)

func main() {
	event := \`${EVENT_JSON}\`
	request, err := http.NewRequest("POST", "${origin}/v1/events/ingest", strings.NewReader(event))
	if err != nil {
		panic(err)
	}
	request.Header.Set("X-API-Key", "${key}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
}`;
}

function inBrowser(origin: string, key: string): string {
  return `<script type="module">
  await fetch('${origin}/v1/events/ingest', {
    method: 'POST',
    keepalive: true,
    headers: { 'X-API-Key': '${key}', 'Content-Type': 'application/json' },
    body: JSON.stringify({ event_type: 'page.viewed', source: 'web', payload: { path: location.pathname } }),
  });
</script>`;
}

function byOtlpVariables(origin: string, key: string): string {
  return `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}/intake/otlp
export OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_SERVICE_NAME=${EVENT.source}
export OTEL_LOGS_EXPORTER=otlp
export OTEL_TRACES_EXPORTER=otlp
export OTEL_METRICS_EXPORTER=none`;
}

function byCollector(origin: string, key: string): string {
  return `receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:4318
processors:
  batch:
    send_batch_size: 1000
    send_batch_max_size: 2000
exporters:
  # Collectors before 0.144 call it otlphttp.
  otlp_http:
    endpoint: ${origin}/intake/otlp
    headers:
      X-API-Key: ${key}
service:
  pipelines:
    logs:
      receivers: [otlp]
      processors: [batch]
      exporters: [otlp_http]
    traces:
      receivers: [otlp]
      processors: [batch]
      exporters: [otlp_http]`;
}
