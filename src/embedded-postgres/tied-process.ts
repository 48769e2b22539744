import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/**
 * `$1` is the log file, the rest is the command. The shell leads its own session, so that a Ctrl-C in the terminal does
 * not reach the command. Its standard input is a pipe that nobody writes to. When the pipe ends, because this process
 * closed it or died, the command is interrupted. The interrupt is repeated, because one that arrives before the command
 * has installed its handler is lost. It becomes a quit after 10 s.
 */
const SUPERVISOR = `
umask 077
log=$1
shift
exec 3<&0 </dev/null
"$@" 3<&- >>"$log" 2>&1 &
child=$!
(
  while read -r line; do :; done
  beats=0
  while kill -0 "$child"; do
    if [ "$beats" -lt 40 ]; then kill -INT "$child"; else kill -QUIT "$child"; fi
    beats=$((beats + 1))
    sleep 0.25
  done
) <&3 >/dev/null 2>&1 &
watchdog=$!
trap '' PIPE
exec 3<&-
echo "$child"
exec >/dev/null 2>&1
wait "$child"
status=$?
kill "$watchdog"
exit "$status"
`;

export interface TiedCommand {
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Receives what the command prints, appended. */
  readonly logFile: string;
  /** Undefined: the user of this process. */
  readonly identity?: { uid?: number; gid?: number };
}

export interface TiedProcess {
  readonly pid: number;
  /**
   * Resolves with the exit code: 128 or more for a signal, null when the supervising shell itself was killed. Awaiting
   * it does not keep this process running.
   */
  readonly exited: Promise<number | null>;
  hasExited(): boolean;
  /** As `exited`, but keeps this process running until then. */
  wait(): Promise<number | null>;
  /** Interrupts the command and waits for its end. Harmless when the command has ended already. */
  stop(): Promise<void>;
}

/**
 * Starts a command that does not outlive this process, even after `kill -9`, and that does not keep this process
 * running. Rejects when the command's user or folder is refused.
 */
export async function startTied(tied: TiedCommand): Promise<TiedProcess> {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', tied.logFile, ...tied.command], {
    cwd: tied.cwd,
    env: tied.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    ...tied.identity,
  });
  let ended = false;
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => {
    ended = true;
    return code ?? null;
  });
  // A failed spawn rejects both promises; the one awaited below reports it.
  exited.catch(() => undefined);
  await once(child, 'spawn');
  // Nothing is ever written, so an error means only that the other end has closed, which `exited` reports too.
  child.stdin.on('error', () => undefined);

  let printed = '';
  for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) printed += text;
  const pid = Number.parseInt(printed, 10);
  if (!Number.isSafeInteger(pid)) throw new Error(`the supervising shell ended with ${String(await exited)}`);

  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  const wait = (): Promise<number | null> => {
    child.ref();
    return exited;
  };
  return {
    pid,
    exited,
    hasExited: () => ended,
    wait,
    async stop() {
      child.stdin.end();
      await wait();
    },
  };
}
