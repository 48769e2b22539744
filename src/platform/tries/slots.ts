/** How many may run at once: in all, for one tenant, and for one lane of a tenant (a destination). */
export interface SlotLimits {
  readonly all: number;
  readonly tenant: number;
  readonly lane: number;
}

/**
 * Counts what runs, and remembers lanes that were turned away so that whoever ends can go on with them. Lanes of
 * different tenants take turns: one tenant's hanging destinations never use up everybody's slots.
 */
export class Slots {
  private readonly lanes = new Map<string, number>();
  private readonly tenants = new Map<string, number>();
  private readonly hungry = new Map<string, Set<string>>();
  private used = 0;

  constructor(private readonly limits: SlotLimits) {}

  get inUse(): number {
    return this.used;
  }

  /** How many more may start in a lane now. */
  spare(tenant: string, lane: string): number {
    return Math.max(
      0,
      Math.min(
        this.limits.all - this.used,
        this.limits.tenant - (this.tenants.get(tenant) ?? 0),
        this.limits.lane - (this.lanes.get(lane) ?? 0),
      ),
    );
  }

  get spareInAll(): number {
    return Math.max(0, this.limits.all - this.used);
  }

  /** Tenants and lanes that may start nothing now. */
  full(): { tenants: string[]; lanes: string[] } {
    const atLeast = (counts: Map<string, number>, most: number): string[] =>
      [...counts].flatMap(([name, count]) => (count >= most ? [name] : []));
    return {
      tenants: atLeast(this.tenants, this.limits.tenant),
      lanes: atLeast(this.lanes, this.limits.lane),
    };
  }

  take(tenant: string, lane: string): void {
    this.used += 1;
    this.tenants.set(tenant, (this.tenants.get(tenant) ?? 0) + 1);
    this.lanes.set(lane, (this.lanes.get(lane) ?? 0) + 1);
  }

  free(tenant: string, lane: string): void {
    this.used -= 1;
    lower(this.tenants, tenant);
    lower(this.lanes, lane);
  }

  /** There may be more to do in this lane than it has slots for. */
  remember(tenant: string, lane: string): void {
    const lanes = this.hungry.get(tenant) ?? new Set();
    this.hungry.set(tenant, lanes.add(lane));
  }

  /** The next remembered lane with a spare slot, no longer remembered; null when there is none. */
  next(): { tenant: string; lane: string } | null {
    if (this.spareInAll === 0) return null;
    for (const [tenant, lanes] of this.hungry) {
      if ((this.tenants.get(tenant) ?? 0) >= this.limits.tenant) continue;
      for (const lane of lanes) {
        if (this.spare(tenant, lane) === 0) continue;
        lanes.delete(lane);
        // To the end of the line of tenants.
        this.hungry.delete(tenant);
        if (lanes.size > 0) this.hungry.set(tenant, lanes);
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
