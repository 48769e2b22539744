import type { CanActivate, ExceptionFilter, Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ForbiddenException, RequestMethod, SetMetadata } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { runInContext } from '../telemetry/index.js';
import type { Header } from './default-headers.js';
import { argumentsOf, type CheckedRequest } from './inputs.js';
import { sendJson } from './send-json.js';

const DIRECT = 'direct-route';

/**
 * Marks a handler for requests that are so small and frequent that routing is most of their cost. Such requests bypass
 * Express and Nest's router. The global filter, the guards and the inputs apply in the same order as on every route
 * (docs/decisions/0024-direct-routes.md). The path must have no parameters, and the handler may use only the decorators
 * of `inputs.ts`.
 */
export const Direct = (): MethodDecorator => SetMetadata(DIRECT, true);

/** The steps that every request passes before its route is known. */
export interface RequestFront {
  /** Headers that the middlewares between `begin` and `admit` set on requests without `Origin`. */
  readonly headers: readonly Header[];
  /**
   * Assigns the request id, observes the request, and sets the headers of every answer. @returns the fault of the
   * request's head, if any
   */
  begin(request: CheckedRequest, response: Response): Error | undefined;
  /**
   * Meters and rate-limits the request. Calls `next` with the refusal, or without an argument when the request is
   * admitted.
   */
  admit(request: CheckedRequest, response: Response, next: (refusal?: unknown) => void): void;
}

interface DirectRoute {
  readonly method: string;
  /** The matched route, in the form that Express's router sets. */
  readonly matched: { readonly path: string };
  readonly controller: Type<unknown>;
  readonly handler: (...values: unknown[]) => unknown;
  readonly instance: object;
  readonly inputs: readonly ((request: CheckedRequest) => unknown)[];
  readonly status: number;
}

/** Serves the {@link Direct} routes, with the application's global guards and filter. */
export class DirectRoutes {
  private readonly byPath: ReadonlyMap<string, DirectRoute>;
  private readonly guards: readonly CanActivate[];
  private readonly filter: ExceptionFilter;

  /** @throws when the application has interceptors, pipes or a second filter, which direct routes would skip */
  constructor(
    app: NestExpressApplication,
    private readonly front: RequestFront,
  ) {
    const config = app.get(ApplicationConfig);
    const [filter, ...more] = config.getGlobalFilters();
    if (filter === undefined || more.length > 0) throw new Error('direct routes know one filter');
    if (config.getGlobalInterceptors().length + config.getGlobalPipes().length > 0)
      throw new Error('direct routes know neither interceptors nor pipes');
    this.filter = filter;
    this.guards = config.getGlobalGuards();
    this.byPath = new Map(directRoutesOf(app.get(DiscoveryService)).map((route) => [route.matched.path, route]));
  }

  /**
   * Returns whether a direct route handles the request. Requests with `Origin` go through Express, which has the CORS
   * middlewares.
   */
  take(request: CheckedRequest, response: Response): boolean {
    const route = this.byPath.get(request.url);
    if (route === undefined || route.method !== request.method || request.headers.origin !== undefined) return false;
    request.res = response;
    request.params = {};
    const context = new DirectContext(request, response, route);
    const fault = this.front.begin(request, response);
    if (fault !== undefined) this.refuse(fault, context);
    else {
      for (const [name, value] of this.front.headers) response.setHeader(name, value);
      this.front.admit(request, response, (refusal) => {
        if (refusal === undefined) void this.run(route, context);
        else this.refuse(refusal, context);
      });
    }
    return true;
  }

  private async run(route: DirectRoute, context: DirectContext): Promise<void> {
    const { request, response } = context;
    request.route = route.matched;
    try {
      for (const guard of this.guards) {
        const admitted = guard.canActivate(context);
        if (admitted !== true && (await admitted) !== true) throw new ForbiddenException();
      }
      const answer = await route.handler.apply(
        route.instance,
        route.inputs.map((input) => input(request)),
      );
      sendJson(response, route.status, answer);
    } catch (error) {
      this.refuse(error, context);
    }
  }

  /** Runs the filter in the request's context, so that its log lines name the request. */
  private refuse(error: unknown, context: DirectContext): void {
    const known = context.request.context;
    if (known === undefined) this.filter.catch(error, context);
    else {
      runInContext(known, (leave) => {
        this.filter.catch(error, context);
        leave();
      });
    }
  }
}

/** The execution context for guards and filters. It reuses one HTTP host because they request it many times. */
class DirectContext extends ExecutionContextHost {
  private readonly http = super.switchToHttp();

  constructor(
    readonly request: CheckedRequest,
    readonly response: Response,
    { controller, handler }: DirectRoute,
  ) {
    super([request, response], controller, handler);
  }

  override switchToHttp(): ReturnType<ExecutionContextHost['switchToHttp']> {
    return this.http;
  }
}

function directRoutesOf(discovery: DiscoveryService): DirectRoute[] {
  const scanner = new MetadataScanner();
  return discovery.getControllers().flatMap(({ instance, metatype }): DirectRoute[] => {
    const owner: unknown = instance;
    if (typeof owner !== 'object' || owner === null) return [];
    const controller = metatype as Type<unknown>;
    return scanner.getAllMethodNames(Object.getPrototypeOf(owner) as object).flatMap((name): DirectRoute[] => {
      const handler = (owner as Record<string, DirectRoute['handler']>)[name];
      if (handler === undefined || Reflect.getMetadata(DIRECT, handler) !== true) return [];
      return [routeOf(controller, owner, handler)];
    });
  });
}

function routeOf(controller: Type<unknown>, instance: object, handler: DirectRoute['handler']): DirectRoute {
  const parts = [
    Reflect.getMetadata(PATH_METADATA, controller),
    Reflect.getMetadata(PATH_METADATA, handler),
  ] as string[];
  const path = `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;
  const title = `${controller.name}.${handler.name}`;
  if (!/^[\w/-]+$/.test(path)) throw new Error(`${title}: a direct route has no parameters`);
  const inputs = argumentsOf(handler);
  if (inputs.length < handler.length || inputs.includes(undefined))
    throw new Error(`${title}: a direct route takes the inputs of inputs.ts alone`);
  return {
    method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod],
    matched: { path },
    controller,
    handler,
    instance,
    inputs: inputs as DirectRoute['inputs'],
    status: Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number,
  };
}
