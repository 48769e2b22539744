/** A destination of a tenant. Sends to one lane have a concurrency limit of their own. */
export interface SendingLane {
  readonly tenant: string;
  readonly lane: string;
}

/** How many sends may run at once: in all, for one tenant, and for one of its lanes. */
export interface SlotLimits {
  readonly all: number;
  readonly tenant: number;
  readonly lane: number;
}

/**
 * Counts running sends, and queues the lanes that have more due rows. The queue is round robin over tenants, and over
 * the lanes of each: hanging destinations of one tenant never use up every slot.
 */
export class Slots {
  private readonly lanes = new Map<string, number>();
  private readonly tenants = new Map<string, number>();
  /** Queued lanes by tenant; the next tenant comes first. */
  private readonly line = new Map<string, Set<string>>();
  private used = 0;

  constructor(private readonly limits: SlotLimits) {}

  get inUse(): number {
    return this.used;
  }

  /** Whether any lane is queued. */
  get isWaitedFor(): boolean {
    return this.line.size > 0;
  }

  /** Returns how many more sends may start in a lane now. */
  spare({ tenant, lane }: SendingLane): number {
    return Math.max(
      0,
      Math.min(
        this.limits.all - this.used,
        this.limits.tenant - (this.tenants.get(tenant) ?? 0),
        this.limits.lane - (this.lanes.get(lane) ?? 0),
      ),
    );
  }

  take({ tenant, lane }: SendingLane): void {
    this.used += 1;
    this.tenants.set(tenant, (this.tenants.get(tenant) ?? 0) + 1);
    this.lanes.set(lane, (this.lanes.get(lane) ?? 0) + 1);
  }

  free({ tenant, lane }: SendingLane): void {
    this.used -= 1;
    lower(this.tenants, tenant);
    lower(this.lanes, lane);
  }

  /** Queues a lane. A lane that is queued already keeps its position. */
  remember({ tenant, lane }: SendingLane): void {
    const lanes = this.line.get(tenant) ?? new Set();
    this.line.set(tenant, lanes.add(lane));
  }

  /** Removes the next queued lane that has a free slot, and returns it; null when there is none. */
  next(): SendingLane | null {
    if (this.used >= this.limits.all) return null;
    for (const [tenant, lanes] of this.line) {
      if ((this.tenants.get(tenant) ?? 0) >= this.limits.tenant) continue;
      for (const lane of lanes) {
        if (this.spare({ tenant, lane }) === 0) continue;
        lanes.delete(lane);
        // The tenant moves to the end of the queue.
        this.line.delete(tenant);
        if (lanes.size > 0) this.line.set(tenant, lanes);
        return { tenant, lane };
      }
    }
    return null;
  }
}

function lower(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 1) - 1;
  if (left === 0) counts.delete(name);
  else counts.set(name, left);
}
