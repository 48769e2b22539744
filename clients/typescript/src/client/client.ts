import { OPERATIONS, type Operations } from '../generated/operations.js';
import type { Call, CallOptions, OperationName } from './contract.js';
import { type ClientOptions, Exchange } from './exchange.js';
import type { AnyArguments } from './request.js';

/** Every operation of the service by its name. */
export type Client = Operations<{ readonly [Name in OperationName]: Call<Name> }>;

/**
 * A client of the service. Sign-ins through it are kept in its session and refreshed when they run out.
 *
 *     const api = createClient({ url: 'https://events.example.com' });
 *     await api.logIn({ body: { username, password } });
 *     const projects = await api.listProjects();
 */
export function createClient(options: ClientOptions): Client {
  const exchange = new Exchange(options);
  const names = Object.keys(OPERATIONS) as OperationName[];
  const calls = names.map((name) => [
    name,
    (args?: AnyArguments, callOptions?: CallOptions) => exchange.ask(name, args, callOptions),
  ]);
  return Object.fromEntries(calls) as Client;
}
