import type { ProviderConnection } from '../../../identity/oauth/index.js';

/** Maximum number of cached connections. Beyond it, the least recently used connection is dropped. */
const MAX_CONNECTIONS = 200;

interface Kept {
  readonly updatedAt: number;
  readonly connection: ProviderConnection;
}

/**
 * Caches the connections of organizations, so that metadata and keys of the issuers are not fetched at every sign-in.
 * When the settings of a connection have changed, it is created again.
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
