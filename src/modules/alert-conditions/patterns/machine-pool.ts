import { PatternMachine } from './pattern-machine.js';
import { parsePattern } from './pattern-syntax.js';

/** What the machines of one process may take together, in bytes. */
const MAX_BYTES = 32 * 1_024 * 1_024;

/**
 * The machines of patterns, made when they are first asked for and kept while there is room. Rules and silences keep
 * their patterns as text, so however many there are, this is the memory that their matching takes.
 */
export class MachinePool {
  private readonly kept = new Map<string, PatternMachine>();
  private taken = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.taken;
  }

  /** @throws PatternFault for a text that is no pattern */
  of(source: string): PatternMachine {
    return this.kept.get(source) ?? this.make(source);
  }

  private make(source: string): PatternMachine {
    const machine = new PatternMachine(parsePattern(source));
    this.kept.set(source, machine);
    this.taken += machine.bytes;
    // The oldest first; one that is still needed is made again within a millisecond.
    for (const [other, { bytes }] of this.kept) {
      if (this.taken <= this.maxBytes) break;
      this.kept.delete(other);
      this.taken -= bytes;
    }
    return machine;
  }
}

export const MACHINES = new MachinePool(MAX_BYTES);
