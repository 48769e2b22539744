// Describes the machine, and measures processor time: of measured processes, and of processes outside of the bench.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const TICKS = 100;

export function facts() {
  const [{ model } = {}] = cpus();
  return `${cpus().length} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
}

/** @returns a function that returns how many cores, on average, processes outside of the bench have used since then */
export function watchOthers() {
  const before = [busyTicks(), ownTicks(), performance.now()];
  return () => {
    const [busy, own, at] = [busyTicks(), ownTicks(), performance.now()];
    const seconds = (at - before[2]) / 1000;
    return Math.max(0, (busy - before[0] - (own - before[1])) / TICKS / seconds);
  };
}

/** Returns the resident memory of a process in MB. */
export function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Returns the time of all processes. Time that the kernel spends on the network by itself belongs to no process. */
function busyTicks() {
  const [, user, nice, system] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/\s+/).map(Number);
  return user + nice + system;
}

/** Returns the processor time in µs of all descendants of this process, except the load clients. */
export function measuredMicros() {
  return microsOf((command) => !command.includes('load-client'));
}

/** Returns {@link measuredMicros} of the service's processes only. The rest is that of PostgreSQL and Redis. */
export function nodeMicros() {
  return microsOf((command) => command.includes('dist/src/main.js'));
}

/** Returns {@link measuredMicros} of the tests' ClickHouse only. */
export function clickHouseMicros() {
  return microsOf((command) => command.includes('clickhouse/serve.mjs'));
}

function microsOf(counts) {
  return ownTicks((pid) => pid !== process.pid && counts(commandOf(pid))) * (1_000_000 / TICKS);
}

/**
 * Moves the tests' ClickHouse, this process and the load clients to the last core, and all other descendants of this
 * process to the remaining cores, as if ClickHouse had its own machine. A process that starts later runs where its
 * parent runs.
 */
export function setApart() {
  const last = cpus().length - 1;
  if (last < 1) throw new Error('the machine has only one core');
  const isFar = (pid) => pid === process.pid || /clickhouse\/serve\.mjs|load-client/.test(commandOf(pid));
  for (const pid of below(process.pid)) {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', isFar(pid) ? `${last}` : `0-${last - 1}`, `${pid}`]);
  }
}

/** Returns the ids of a process and of all its descendants. */
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

/**
 * Returns the ticks of this process and its descendants. Without `counts`, descendants that have ended are included.
 * With `counts`, only the processes that it accepts are included, without their ended children.
 */
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
