import type { DiscoveryService } from '@nestjs/core';

/**
 * Returns the provider that extends a port, from any module of the application, or undefined when there is none. A
 * lower module uses it to call a higher one. Call it only after the application has been created.
 */
export function providerOf<Port>(discovery: DiscoveryService, port: AbstractClass<Port>): Port | undefined {
  for (const { instance } of discovery.getProviders()) if (instance instanceof port) return instance;
  return undefined;
}

/** Returns all providers of a port, each once. See {@link providerOf}. */
export function providersOf<Port>(discovery: DiscoveryService, port: AbstractClass<Port>): Port[] {
  const found = new Set<Port>();
  for (const { instance } of discovery.getProviders()) if (instance instanceof port) found.add(instance);
  return [...found];
}

type AbstractClass<Port> = abstract new (...needs: never[]) => Port;
