import { PatternMachine } from './pattern-machine.js';
import { parsePattern } from './pattern-syntax.js';

/** The memory in bytes that all machines of one process may take. */
const MAX_BYTES = 32 * 1_024 * 1_024;
/** The share of the memory that is freed at a time, so that machines are rarely searched for removal. */
const ROOM = 1 / 16;

interface Kept {
  readonly machine: PatternMachine;
  /** The time of the last use, on the counter of the pool. */
  usedAt: number;
}

/** The machines of one project. */
interface Share {
  readonly machines: Map<string, Kept>;
  bytes: number;
}

/**
 * Caches the machines of patterns, which are built on first use. Rules and silences keep their patterns as text, so the
 * pool limits the memory of matching for any number of patterns. When the pool is full, the project with the most bytes
 * loses its least recently used machines. A project that stays within an equal share of the pool keeps its machines,
 * however many patterns another project has.
 */
export class MachinePool {
  private readonly shares = new Map<string, Share>();
  private taken = 0;
  private now = 0;
  private count = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.taken;
  }

  /** The number of machines that were built so far. */
  get made(): number {
    return this.count;
  }

  /** Returns the machine of a pattern, built if necessary. @throws PatternFault when the text is not a pattern */
  of(projectId: string, source: string): PatternMachine {
    return this.find(projectId, source) ?? this.make(projectId, source);
  }

  /**
   * Builds the machine of a pattern if the pool does not have it. Called directly before a search.
   * @returns the steps that this took, or 0 when the pool had the machine
   * @throws PatternFault when the text is not a pattern
   */
  prepare(projectId: string, source: string): number {
    return this.find(projectId, source) === undefined ? this.make(projectId, source).stepsToMake : 0;
  }

  private find(projectId: string, source: string): PatternMachine | undefined {
    const kept = this.shares.get(projectId)?.machines.get(source);
    if (kept === undefined) return undefined;
    kept.usedAt = this.now += 1;
    return kept.machine;
  }

  private make(projectId: string, source: string): PatternMachine {
    const machine = new PatternMachine(parsePattern(source));
    const share = this.shares.get(projectId) ?? { machines: new Map<string, Kept>(), bytes: 0 };
    this.shares.set(projectId, share);
    share.machines.set(source, { machine, usedAt: (this.now += 1) });
    share.bytes += machine.bytes;
    this.taken += machine.bytes;
    this.count += 1;
    while (this.taken > this.maxBytes) this.makeRoom();
    return machine;
  }

  /**
   * Removes the oldest machines of the largest share until a sixteenth of the pool is free, or until the share is no
   * larger than an equal share.
   */
  private makeRoom(): void {
    const [projectId, share] = [...this.shares].reduce((a, b) => (b[1].bytes > a[1].bytes ? b : a));
    const equal = this.maxBytes / this.shares.size;
    const wanted = this.maxBytes * (1 - ROOM);
    const oldestFirst = [...share.machines].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [source, { machine }] of oldestFirst) {
      if (this.taken <= wanted || share.bytes <= equal) break;
      share.machines.delete(source);
      share.bytes -= machine.bytes;
      this.taken -= machine.bytes;
    }
    if (share.machines.size === 0) this.shares.delete(projectId);
  }
}

export const MACHINES = new MachinePool(MAX_BYTES);
