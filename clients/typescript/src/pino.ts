import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { EventSender, type SenderOptions } from './sender/index.js';

/** Options of the transport: those of the sender that can be told to another thread. */
export interface PinoTransportOptions extends Omit<SenderOptions, 'fetch' | 'onLoss'> {
  /** What the events are called. Default `log`. */
  readonly eventType?: string;
}

/** A line as pino writes it, whose members formatters and whoever logs make of any type. */
type LogLine = Readonly<Record<string, unknown>>;

/** pino's levels in the service's severities. */
const SEVERITIES: readonly (readonly [from: number, severity: string])[] = [
  [60, 'critical'],
  [50, 'error'],
  [40, 'warning'],
  [0, 'info'],
];

/** The same by their labels, which `formatters.level` may write instead. */
const SEVERITY_OF_LABEL: Readonly<Record<string, string>> = {
  fatal: 'critical',
  error: 'error',
  warn: 'warning',
  info: 'info',
  debug: 'info',
  trace: 'info',
};

/** Times below it are seconds, as `stdTimeFunctions.unixTime` writes them; as milliseconds they were in 1973. */
const FEWEST_MILLISECONDS = 100_000_000_000;
const LONGEST_MESSAGE = 2_000;

/**
 * A transport of pino: `pino({ transport: { target: '@operational-events/client/pino', options } })`. It runs in a thread of
 * its own, so losses are told as warnings of the process.
 */
export default function pinoTransport({ eventType = 'log', ...options }: PinoTransportOptions): Writable {
  const sender = new EventSender({
    ...options,
    onLoss: ({ reason, events }) =>
      process.emitWarning(`${events} lines of the log were lost: ${reason}`, 'EventLossWarning'),
  });
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
  const { level, time, msg, ...payload } = line;
  const [severity, timestamp] = [severityOf(level), timeOf(time)];
  sender.send({
    event_type: eventType,
    ...(severity !== undefined && { severity }),
    ...(timestamp !== undefined && { timestamp }),
    ...(typeof msg === 'string' && msg !== '' && { message: msg.slice(0, LONGEST_MESSAGE) }),
    // Logs derive their status from it: without one, lines of `error` would be successes. A status of the line's own stays.
    ...(isError(severity) && payload.status === undefined && { status: 'error' }),
    payload: typeof msg === 'string' || msg === undefined ? payload : { ...payload, msg },
  });
}

function severityOf(level: unknown): string | undefined {
  if (typeof level === 'string') return SEVERITY_OF_LABEL[level.toLowerCase()];
  return typeof level === 'number' ? SEVERITIES.find(([from]) => level >= from)?.[1] : undefined;
}

function isError(severity: string | undefined): boolean {
  return severity === 'error' || severity === 'critical';
}

function timeOf(time: unknown): Date | undefined {
  if (typeof time !== 'number' && typeof time !== 'string') return undefined;
  const at = new Date(typeof time === 'number' && time < FEWEST_MILLISECONDS ? time * 1_000 : time);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Null: no line of pino's. */
function parsed(text: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as LogLine) : null;
  } catch {
    return null;
  }
}
