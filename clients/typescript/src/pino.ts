import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { EventSender, type SenderOptions } from './sender/index.js';

/** Options of the transport: those of the sender that can be told to another thread. */
export interface PinoTransportOptions extends Omit<SenderOptions, 'fetch' | 'onLoss'> {
  /** What the events are called. Default `log`. */
  readonly eventType?: string;
}

/** A line as pino writes it. */
interface LogLine {
  readonly level?: number;
  readonly time?: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** pino's levels in the service's severities. */
const SEVERITIES: readonly (readonly [from: number, severity: string])[] = [
  [60, 'critical'],
  [50, 'error'],
  [40, 'warning'],
  [0, 'info'],
];

/** A transport of pino: `pino({ transport: { target: '@operational-events/client/pino', options } })`. */
export default function pinoTransport({ eventType = 'log', ...options }: PinoTransportOptions): Writable {
  const sender = new EventSender(options);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) sendLine(sender, eventType, line);
      done();
    },
    final(done) {
      sendLine(sender, eventType, rest);
      void sender.close().then(() => done());
    },
  });
}

function sendLine(sender: EventSender, eventType: string, text: string): void {
  const line = parsed(text);
  if (line === null) return;
  const { level = 30, time, msg, ...payload } = line;
  sender.send({
    event_type: eventType,
    severity: SEVERITIES.find(([from]) => level >= from)?.[1],
    ...(time !== undefined && { timestamp: new Date(time) }),
    ...(msg !== undefined && msg !== '' && { message: msg.slice(0, 2_000) }),
    payload,
  });
}

/** Null: no line of pino's. */
function parsed(text: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as LogLine) : null;
  } catch {
    return null;
  }
}
