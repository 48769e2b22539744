import type { DiscoveryService } from '@nestjs/core';

/**
 * The provider of the application that extends a port, wherever it is declared; undefined while no module has one. For
 * what a lower module asks of a higher one. To be called once the application is made.
 */
export function providerOf<Port>(discovery: DiscoveryService, port: AbstractClass<Port>): Port | undefined {
  for (const { instance } of discovery.getProviders()) if (instance instanceof port) return instance;
  return undefined;
}

/** As {@link providerOf}, every one of them, each once. */
export function providersOf<Port>(discovery: DiscoveryService, port: AbstractClass<Port>): Port[] {
  const found = new Set<Port>();
  for (const { instance } of discovery.getProviders()) if (instance instanceof port) found.add(instance);
  return [...found];
}

type AbstractClass<Port> = abstract new (...needs: never[]) => Port;
