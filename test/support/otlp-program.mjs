// A program that is instrumented with OpenTelemetry and configured by nothing but `OTEL_EXPORTER_OTLP_ENDPOINT` and
// `OTEL_EXPORTER_OTLP_HEADERS`. Arguments: `proto` or `http` (JSON), then a name that its events carry. It serves one
// request that succeeds and one that fails.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const [, , protocol, name] = process.argv;
/** Loads the exporters of one protocol. */
const EXPORTERS = {
  proto: () =>
    Promise.all([
      import('@opentelemetry/exporter-logs-otlp-proto'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ]),
  http: () =>
    Promise.all([import('@opentelemetry/exporter-logs-otlp-http'), import('@opentelemetry/exporter-trace-otlp-http')]),
};
const [{ OTLPLogExporter }, { OTLPTraceExporter }] = await EXPORTERS[protocol]();

const resource = resourceFromAttributes({ 'service.name': name, 'deployment.environment.name': 'staging' });
const logs = new LoggerProvider({
  resource,
  processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});
const traces = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
const logger = logs.getLogger('shop', '1.0.0');
const tracer = traces.getTracer('http');

logger.emit({
  severityNumber: SeverityNumber.INFO,
  severityText: 'INFO',
  body: 'The shop is open',
  attributes: { port: 80 },
});
logger.emit({ severityNumber: SeverityNumber.ERROR, body: { reason: 'no stock', items: [1, 2] } });

const startTime = Date.now() - 250;
const attributes = (route, status) => ({
  'http.request.method': 'GET',
  'url.path': '/orders/7',
  'http.route': route,
  'http.response.status_code': status,
});
const fine = tracer.startSpan('GET /orders/:id', { kind: SpanKind.SERVER, startTime });
fine.setAttributes(attributes('/orders/:id', 200));
tracer.startSpan('SELECT', { kind: SpanKind.CLIENT }).end();
fine.end(startTime + 125);
const failing = tracer.startSpan('GET /orders/:id', { kind: SpanKind.SERVER, startTime });
failing.setAttributes(attributes('/orders/:id', 503));
failing.recordException(new TypeError('the order has no items'));
failing.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' });
failing.end(startTime + 250);

await logs.shutdown();
await traces.shutdown();
