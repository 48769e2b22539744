import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { buildOutput } from '../platform/build-output/index.js';

/**
 * The body of a request or answer. For a stream it is the data of one message. It is text when the media type is not
 * JSON.
 */
export interface ExampleBody {
  readonly type: string;
  readonly value: unknown;
}

/** A request that was answered with success. */
export interface Example {
  /** The parameters of path and query by name, in the types of their schemas. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly request?: ExampleBody;
  readonly answer?: ExampleBody;
}

/** The examples by the name of the operation. */
export type Examples = Readonly<Record<string, Example>>;

/** The build copies `docs/api/examples` here (`scripts/pages.mjs`). */
const FOLDER = buildOutput('pages/examples');

/** Reads one example of each operation. There are none when another tool than `npm run build` built the service. */
export function readExamples(): Examples {
  if (!existsSync(FOLDER)) return {};
  const files = readdirSync(FOLDER).map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
  return Object.assign({}, ...files.map((text) => JSON.parse(text) as Examples)) as Examples;
}
