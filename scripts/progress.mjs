// Shows the steps of a build: the running step, and its duration in seconds when it is done.

const TICK_MS = 1_000;

/**
 * Runs one step, and prints the text that it returns. A terminal shows the seconds while they pass. Anywhere else the step is
 * one line, which is complete when the step is done.
 */
export async function step(name, work) {
  const startedAt = performance.now();
  const seconds = (digits) => ((performance.now() - startedAt) / 1_000).toFixed(digits);
  const show = (text) => process.stdout.write(process.stdout.isTTY ? `\r${name} ... ${text}` : text);
  process.stdout.write(`${name} ... `);
  const ticks = process.stdout.isTTY ? setInterval(() => show(`${seconds(0)} s`), TICK_MS) : undefined;
  try {
    const output = await work();
    show(`${seconds(1)} s\n${output ?? ''}`);
  } catch (error) {
    show('failed\n');
    throw error;
  } finally {
    clearInterval(ticks);
  }
}
