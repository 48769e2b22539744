import { setTimeout as pause } from 'node:timers/promises';
import { type AuditEvent, auditEventResponse, AuditReader } from '../../modules/identity/audit/index.js';
import { isError } from '../../platform/errors/index.js';
import type { OperatorWork } from './operator-context.js';
import { type AnswerForm, printable, write } from './output.js';

const POLL_MS = 1_000;
/** The number of events that one query reads. */
const PAGE = 500;
/**
 * The command prints no event that is newer than the oldest open transaction. It reports a transaction that has been
 * open for longer than this.
 */
const LONG_SECONDS = 10;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface TailOptions extends AnswerForm {
  readonly lines: number;
  readonly follow?: boolean;
}

/** Prints the newest audit events, oldest first, and with `follow` each later one once. Ends on a signal. */
export function tailAudit({ json = false, lines, follow = false }: TailOptions): OperatorWork {
  const print = (events: readonly AuditEvent[]): Promise<void> =>
    write(events.map((event) => (json ? JSON.stringify(auditEventResponse(event)) : lineOf(event))));
  return async (app) => {
    const audit = app.get(AuditReader);
    if (!follow) return print(await audit.newest(lines, null));
    const signal = untilSignal();
    let named: number | null = null;
    const settled = async (): Promise<string> => {
      const { at, pid, openSeconds } = await audit.settledUntil();
      const waitsFor = openSeconds > LONG_SECONDS ? pid : null;
      if (waitsFor !== null && waitsFor !== named) process.stderr.write(waitOf(waitsFor, openSeconds));
      named = waitsFor;
      return at;
    };
    let until = await settled();
    await print(await audit.newest(lines, until));
    let after = { at: until, id: FIRST_ID };
    while (await paused(signal)) {
      until = await settled();
      for (;;) {
        const events = await audit.between(after, until, PAGE);
        await print(events);
        const last = events.at(-1);
        if (events.length < PAGE || last === undefined) break;
        after = last;
      }
      after = { at: until, id: FIRST_ID };
    }
  };
}

function waitOf(pid: number, seconds: number): string {
  return `Later events are printed when process ${pid} of the database has ended its transaction, which has been open for ${Math.floor(seconds)} seconds.\n`;
}

/** Waits until the next poll. @returns false when a signal has ended the command */
async function paused(signal: AbortSignal): Promise<boolean> {
  try {
    await pause(POLL_MS, undefined, { signal });
    return true;
  } catch (error) {
    if (isError(error) && error.name === 'AbortError') return false;
    throw error;
  }
}

function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function lineOf(event: AuditEvent): string {
  const { createdAt, action, actorUserId, targetType, targetId, organizationId, projectId, detail } = event;
  const words = [
    createdAt.toISOString(),
    action,
    `${targetType}=${targetId ?? '-'}`,
    `actor=${actorUserId ?? '-'}`,
    ...(organizationId === null ? [] : [`organization=${organizationId}`]),
    ...(projectId === null ? [] : [`project=${projectId}`]),
    JSON.stringify(detail),
  ];
  return printable(words.join('  '));
}
