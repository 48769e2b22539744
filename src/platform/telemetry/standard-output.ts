import { pino } from 'pino';

/** Lines that wait while nobody reads them, bytes. More are dropped, and counted in a line of their own. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** How long the end of the process waits for whoever reads the last lines, milliseconds. */
const LAST_LINES_MS = 2_000;

export interface LineOutput {
  write(lines: string): void;
  /** Writes what waits, when the process ends. */
  end(): void;
}

/** Where log lines go. The process never waits for whoever reads them: a pipe that is full holds up no request. */
export function standardOutput(fd = 1): LineOutput {
  let dropped = 0;
  let endsAt = Infinity;
  const output = pino.destination({
    dest: fd,
    sync: false,
    maxLength: MOST_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < endsAt,
  });
  output.on('drop', (lines: string) => (dropped += lines.split('\n').length - 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    const line = { level: 'warn', time: new Date().toISOString(), dropped, message: 'log lines were dropped' };
    dropped = 0;
    output.write(`${JSON.stringify(line)}\n`);
  });
  return {
    write: (lines) => void output.write(lines),
    end: () => {
      endsAt = performance.now() + LAST_LINES_MS;
      try {
        output.flushSync();
      } catch {
        // Nobody reads them, and there is nobody to tell.
        output.destroy();
      }
    },
  };
}
