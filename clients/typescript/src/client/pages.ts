import type { CallOptions } from './contract.js';

/** Lists by number: `offset` says where a page begins. */
interface NumberedPage {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}
/** Lists by cursor: null on the last page. */
type CursorPage =
  | { readonly items: readonly unknown[]; readonly next_before: string | null }
  | { readonly items: readonly unknown[]; readonly next_after: string | null };

type Page = NumberedPage | CursorPage;
type List<Args, One extends Page> = (args: Args, options?: CallOptions) => Promise<One>;
interface Question {
  readonly query?: object;
}

/**
 * The pages of a list, each asked for when the one before has been read. A list of a window (`range`) keeps to that of its
 * first page, so that what comes meanwhile moves nothing.
 *
 *     for await (const page of pages(api.listObjects, { query: { project_id, delimiter: '/' } })) page.prefixes;
 */
export async function* pages<Args extends Question, One extends Page>(
  list: List<Args, One>,
  args: Args,
  options?: CallOptions,
): AsyncGenerator<One, void, undefined> {
  for (let query = args.query ?? {}, more = true; more;) {
    const page = await list({ ...args, query }, options);
    yield page;
    const next = nextOf(page);
    more = next !== null;
    query = { ...windowed(query, page), ...next };
  }
}

/**
 * Everything in a list, page by page.
 *
 *     for await (const event of each(api.listEvents, { query: { project_id } })) event.properties;
 */
export async function* each<Args extends Question, One extends Page>(
  list: List<Args, One>,
  args: Args,
  options?: CallOptions,
): AsyncGenerator<One['items'][number], void, undefined> {
  for await (const page of pages(list, args, options)) yield* page.items as readonly One['items'][number][];
}

/** What to ask for the page after this one; null when there is none. */
function nextOf(page: Page): object | null {
  if ('next_before' in page) return page.next_before === null ? null : { before: page.next_before };
  if ('next_after' in page) return page.next_after === null ? null : { after: page.next_after };
  // A page may end early, and a list may shrink while it is read.
  const offset = page.offset + page.items.length;
  return page.items.length === 0 || offset >= page.total ? null : { offset };
}

function windowed(query: object, page: object): object {
  const { from_ts, to_ts } = page as { readonly from_ts?: string; readonly to_ts?: string };
  if (from_ts === undefined || to_ts === undefined) return query;
  const { range: _range, ...others } = query as { readonly range?: string };
  return { ...others, from_ts, to_ts };
}
