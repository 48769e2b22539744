import type { LoggerService, LogLevel as NestLogLevel } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { prettyLines } from './pretty-lines.js';
import { redact } from './redact.js';
import { currentContext } from './request-context.js';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface LoggerOptions {
  readonly level: LogLevel | 'silent';
  /** Lines for people in place of JSON; by default when standard output is a terminal. */
  readonly pretty?: boolean;
  /** By default standard output, written synchronously, so that no line is lost in a crash. */
  readonly destination?: DestinationStream;
}

/**
 * One JSON object a line: `time`, `level`, `message`, the ids of the running request, then the fields.
 * Everything is redacted before it is written. Also Nest's logger (`app.useLogger`).
 */
export class Logger implements LoggerService {
  private readonly pino: PinoLogger;

  constructor(options: LoggerOptions) {
    const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
    const pretty = options.pretty ?? (options.destination === undefined && process.stdout.isTTY === true);
    this.pino = pino(
      {
        level: options.level,
        base: null,
        messageKey: 'message',
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      pretty ? prettyLines(destination) : destination,
    );
  }

  /** Fields may hold anything; an error belongs under `err`. */
  write(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const line = redact({ ...contextFields(), ...fields });
    const { message: ownMessage, level: ownLevel, time: ownTime, ...rest } = line as Record<string, unknown>;
    // A field of a reserved name would make a second key of that name in the same object.
    const renamed = { field_message: ownMessage, field_level: ownLevel, field_time: ownTime };
    this.pino[level]({ ...rest, ...renamed }, String(redact(message)));
  }

  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.write('info', message, fields);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.writeNest('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.writeNest('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.writeNest('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.writeNest('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.writeNest('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.writeNest('fatal', message, rest);
  }

  /** Nest names the levels it wants; the quietest threshold that lets all of them through is set. */
  setLogLevels(levels: NestLogLevel[]): void {
    const order = ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'] as const;
    const lowest = order.find((level) => levels.includes(level));
    this.pino.level = lowest === undefined ? 'silent' : PINO_LEVELS[lowest];
  }

  /** Nest's calls end in a context name, errors have a stack before it; ours end in an object of fields. */
  private writeNest(level: LogLevel, message: unknown, rest: readonly unknown[]): void {
    if (!this.pino.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = {};
    const others: unknown[] = [];
    rest.forEach((part, index) => {
      if (part === undefined) return;
      if (part instanceof Error) fields['err'] = part;
      else if (typeof part === 'string' && /\n\s+at /.test(part)) fields['stack'] = part;
      else if (typeof part === 'string' && index === rest.length - 1) fields['context'] = part;
      else if (typeof part === 'object' && part !== null && !Array.isArray(part)) Object.assign(fields, part);
      else others.push(part);
    });
    if (others.length > 0) fields['details'] = others;
    if (message instanceof Error) this.write(level, message.message, { err: message, ...fields });
    else if (typeof message === 'string') this.write(level, message, fields);
    else this.write(level, typeof message === 'object' ? '' : String(message), { data: message, ...fields });
  }
}

const PINO_LEVELS = { verbose: 'trace', debug: 'debug', log: 'info', warn: 'warn', error: 'error', fatal: 'fatal' } as const;

function contextFields(): Record<string, string | undefined> {
  const context = currentContext();
  if (context === undefined) return {};
  return {
    request_id: context.requestId,
    organization_id: context.organizationId,
    project_id: context.projectId,
    user_id: context.userId,
    api_key_id: context.apiKeyId,
  };
}
