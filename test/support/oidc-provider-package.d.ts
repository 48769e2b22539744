/** The parts of the package that the stand-ins use; it ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface Client {
    clientId: string;
    compareClientSecret(actual: string): boolean | Promise<boolean>;
  }

  export interface Context {
    oidc: { provider: Provider; client: Client; session: { accountId: string } };
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Client: { prototype: Client };
    readonly Grant: new (of: { accountId: string; clientId: string }) => Grant;
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }

  export default Provider;
}
