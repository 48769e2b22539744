import type { ProviderConnection } from '../../../identity/oauth/index.js';

/** The connections with the issuers of this many tenants are kept. The one that was used longest ago is dropped. */
const MAX_CONNECTIONS = 200;

interface Kept {
  readonly updatedAt: number;
  readonly connection: ProviderConnection;
}

/**
 * Keeps connections of organizations, so that their metadata and keys are not fetched at every sign-in. A connection
 * whose settings have changed is made again.
 */
export class ConnectionCache {
  private readonly kept = new Map<string, Kept>();

  of(id: string, updatedAt: Date, make: () => ProviderConnection): ProviderConnection {
    const known = this.kept.get(id);
    this.kept.delete(id);
    const isCurrent = known?.updatedAt === updatedAt.getTime();
    const kept = isCurrent ? known : { updatedAt: updatedAt.getTime(), connection: make() };
    this.kept.set(id, kept);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_CONNECTIONS && oldest !== undefined) this.kept.delete(oldest);
    return kept.connection;
  }
}
