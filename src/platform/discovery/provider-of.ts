import type { DiscoveryService } from '@nestjs/core';

/**
 * The provider of the application that extends a port, wherever it is declared; undefined while no module has one. For
 * what a lower module asks of a higher one. To be called once the application is made.
 */
export function providerOf<Port>(
  discovery: DiscoveryService,
  port: abstract new (...needs: never[]) => Port,
): Port | undefined {
  for (const { instance } of discovery.getProviders()) if (instance instanceof port) return instance;
  return undefined;
}
