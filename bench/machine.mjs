// What the machine is, and how much of it something else than the bench takes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const TICKS = 100;

export function facts() {
  const [{ model } = {}] = cpus();
  return `${cpus().length} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
}

/** Starts watching. @returns a function that tells which share of one core others have used since */
export function watchOthers() {
  const before = [busyTicks(), ownTicks(), performance.now()];
  return () => {
    const [busy, own, at] = [busyTicks(), ownTicks(), performance.now()];
    const seconds = (at - before[2]) / 1000;
    return Math.max(0, (busy - before[0] - (own - before[1])) / TICKS / seconds);
  };
}

/** Resident memory of a process in MB. */
export function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Time that any process used; what the kernel did for the network on its own account is nobody's. */
function busyTicks() {
  const [, user, nice, system] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/\s+/).map(Number);
  return user + nice + system;
}

/** Processor time of what is measured, in µs: of everything below this process but those that send the load. */
export function measuredMicros() {
  return microsOf((command) => !command.includes('load-client'));
}

/** {@link measuredMicros} of the processes of Node alone, so that the rest is the database's and that of Redis. */
export function nodeMicros() {
  return microsOf((command) => command.includes('dist/src/main.js'));
}

/** {@link measuredMicros} of the ClickHouse of the tests alone. */
export function clickHouseMicros() {
  return microsOf((command) => command.includes('clickhouse/serve.mjs'));
}

function microsOf(counts) {
  return ownTicks((pid) => pid !== process.pid && counts(commandOf(pid))) * (1_000_000 / TICKS);
}

/**
 * Leaves the last core to the ClickHouse of the tests and to what sends the load, and all others to everything else below this
 * process: as if ClickHouse had a machine of its own. What is started later goes where its parent is.
 */
export function setApart() {
  const last = cpus().length - 1;
  if (last < 1) throw new Error('there is one core alone');
  const isFar = (pid) => pid === process.pid || /clickhouse\/serve\.mjs|load-client/.test(commandOf(pid));
  for (const pid of below(process.pid)) {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', isFar(pid) ? `${last}` : `0-${last - 1}`, `${pid}`]);
  }
}

/** A process and all that it and its children have started. */
function below(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(below)];
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Of this process and all below it, with those that have ended; of those alone that count, without their past children. */
function ownTicks(counts) {
  const children = new Map();
  const ticks = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let text;
    try {
      text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    } catch {
      continue;
    }
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const parent = fields[1];
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    const own = counts === undefined ? fields.slice(11, 15) : counts(Number(pid)) ? fields.slice(11, 13) : [];
    ticks.set(
      pid,
      own.reduce((sum, field) => sum + Number(field), 0),
    );
  }
  const sumFrom = (pid) =>
    (ticks.get(pid) ?? 0) + (children.get(pid) ?? []).reduce((sum, child) => sum + sumFrom(child), 0);
  return sumFrom(String(process.pid));
}
