import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  type LogRecordExporter,
  type ReadableLogRecord,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';
import { HANG_TIMEOUT_MS } from './bounds.mjs';

/** `ExportResultCode.SUCCESS` of the SDK. */
const SUCCESS = 0;
const EXPORTERS = { proto: ProtobufExporter, http: JsonExporter };
const RECORDS_OF_BATCH = 20;

/**
 * Senders that each give one batch after another to an official exporter. The exporter repeats a request several times.
 * A batch that it gives up is exported again, as a program with a queue in front of the exporter does.
 */
export class ExporterTraffic {
  /** The messages of the records that were exported successfully. */
  readonly accepted: string[] = [];
  /** Errors after which no exporter sends a batch again. */
  readonly surprises: string[] = [];
  private readonly over: Promise<unknown>;
  private isStopping = false;
  private wake: () => void = () => undefined;

  /** @param senders the number of senders of each exporter */
  constructor(serviceUrl: string, apiKey: string, senders: number) {
    const names = Object.keys(EXPORTERS) as (keyof typeof EXPORTERS)[];
    const all = names.flatMap((name) => Array.from({ length: senders }, (_, number) => ({ name, number })));
    this.over = Promise.all(
      all.map(async ({ name, number }) => {
        const exporter = new EXPORTERS[name]({
          url: `${serviceUrl}/intake/otlp/v1/logs`,
          headers: { 'x-api-key': apiKey },
          timeoutMillis: HANG_TIMEOUT_MS,
        });
        await this.run(exporter, `${name} ${number}`);
        await exporter.shutdown();
      }),
    );
  }

  /** Waits until this many records were exported. */
  async hasAccepted(records: number): Promise<void> {
    while (this.accepted.length < records && !this.hasFailed())
      await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Lets every sender finish its batch. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.over;
  }

  private hasFailed(): boolean {
    return this.surprises.length > 0;
  }

  private async run(exporter: LogRecordExporter, sender: string): Promise<void> {
    const memory = new InMemoryLogRecordExporter();
    const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: memory })] });
    const logger = provider.getLogger('shop');
    for (let batch = 0; !this.isStopping && !this.hasFailed(); batch += 1) {
      const messages = Array.from({ length: RECORDS_OF_BATCH }, (_, record) => `${sender} ${batch} ${record}`);
      for (const body of messages) logger.emit({ body });
      await provider.forceFlush();
      const records = [...memory.getFinishedLogRecords()];
      memory.reset();
      let isExported = false;
      while (!isExported && !this.hasFailed()) isExported = await this.isExported(exporter, records);
      if (isExported) this.accepted.push(...messages);
      this.wake();
    }
    await provider.shutdown();
  }

  private async isExported(exporter: LogRecordExporter, records: ReadableLogRecord[]): Promise<boolean> {
    const { code, error } = await new Promise<{ code: number; error?: Error & { code?: unknown } }>((resolve) =>
      exporter.export(records, resolve),
    );
    // An answer that cannot be repeated has the status as its code; a failed connection has a word.
    if (code !== SUCCESS && typeof error?.code === 'number') this.surprises.push(`${error.code} ${error.message}`);
    return code === SUCCESS;
  }
}
