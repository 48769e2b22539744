import { Injectable } from '@nestjs/common';
import type { Application } from 'express';

interface RouterLayer {
  match(path: string): boolean;
  route?: { methods?: Record<string, boolean>; stack?: { method?: string }[] };
}

/** The routes as the router holds them, to tell a wrong method (405) from an unknown path (404). */
@Injectable()
export class RouteTable {
  private application: Application | undefined;

  /** Called once the application is made; routes are read when asked for. */
  attach(application: Application): void {
    this.application = application;
  }

  /** Upper-case methods that the path answers; empty when the path is unknown. */
  methodsOf(path: string): string[] {
    const layers =
      (this.application as unknown as { router?: { stack?: RouterLayer[] } } | undefined)?.router?.stack ?? [];
    const methods = new Set<string>();
    for (const layer of layers) {
      if (layer.route === undefined || !matches(layer, path)) continue;
      for (const { method } of layer.route.stack ?? []) if (method !== undefined) methods.add(method.toUpperCase());
    }
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }
}

/** The router throws on a path that it cannot percent-decode. */
function matches(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
