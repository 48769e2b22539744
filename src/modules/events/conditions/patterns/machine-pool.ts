import { PatternMachine } from './pattern-machine.js';
import { parsePattern } from './pattern-syntax.js';

/** What the machines of one process may take together, in bytes. */
const MAX_BYTES = 32 * 1_024 * 1_024;
/** Of those, what is made free at a time, so that looking for what to give up is rare. */
const ROOM = 1 / 16;

interface Kept {
  readonly machine: PatternMachine;
  /** By the pool's own clock. */
  usedAt: number;
}

/** The machines of one project. */
interface Share {
  readonly machines: Map<string, Kept>;
  bytes: number;
}

/**
 * The machines of patterns, made when they are first asked for and kept while there is room. Rules and silences keep
 * their patterns as text, so however many there are, this is the memory that their matching takes. When it is full, the
 * project whose machines take the most gives up what it used longest ago: however many patterns one has, the machines of
 * those that keep to an equal share of the pool stay.
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

  /** How many machines have been made so far. */
  get made(): number {
    return this.count;
  }

  /** @throws PatternFault for a text that is no pattern */
  of(projectId: string, source: string): PatternMachine {
    return this.find(projectId, source) ?? this.make(projectId, source);
  }

  /**
   * Has a machine at hand for what follows at once.
   * @returns the steps that it took, 0 when it was there
   * @throws PatternFault for a text that is no pattern
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

  /** Takes from the largest share until there is room, or it is no more than an equal one. */
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
