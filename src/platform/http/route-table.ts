import { Injectable } from '@nestjs/common';
import type { Application } from 'express';

interface RouterLayer {
  match(path: string): boolean;
  route?: { methods?: Record<string, boolean>; stack?: { method?: string }[] };
}

/** The routes of the router. With them, an unsupported method (405) is distinguished from an unknown path (404). */
@Injectable()
export class RouteTable {
  private application: Application | undefined;

  /** Call this once the application is created. {@link methodsOf} reads the routes on each call. */
  attach(application: Application): void {
    this.application = application;
  }

  /** Returns the methods that the path supports, in upper case and sorted. Empty when the path is unknown. */
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

/** Returns whether the layer matches the path. The router throws on a path that cannot be percent-decoded. */
function matches(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
