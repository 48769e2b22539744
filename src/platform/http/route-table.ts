import { Injectable } from '@nestjs/common';
import type { Application } from 'express';

interface RouterLayer {
  match(path: string): boolean;
  route?: { methods?: Record<string, boolean>; stack?: { method?: string }[] };
}

/** The routes of the router. They distinguish a wrong method (405) from an unknown path (404). */
@Injectable()
export class RouteTable {
  private application: Application | undefined;

  /** Must be called once the application is created. The routes are read on each call of {@link methodsOf}. */
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

/** Whether the layer matches the path. The router throws on a path that it cannot percent-decode. */
function matches(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
