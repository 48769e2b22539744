import type { Page } from 'playwright-core';
import { endOfFile } from './end-of-file.js';
import { launchChromium, type Served, servePage } from './chromium.js';

/** The part of an answer that a page may read, or the fact that there was none that it may read. */
export type PageAnswer =
  | { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, string>> }
  | { readonly failed: string };

export interface WebPage {
  readonly origin: string;
  fetch(url: string, options: object): Promise<PageAnswer>;
}

const PAGE = `<!doctype html>
<html lang="en">
<title>Shop</title>
<script>
  async function send(url, options) {
    try {
      const answer = await fetch(url, options);
      return { status: answer.status, body: await answer.json(), headers: Object.fromEntries(answer.headers) };
    } catch (error) {
      return { failed: String(error) };
    }
  }
</script>
</html>`;

/** Opens pages of several origins in one real browser. They close with the spec file. */
export async function openWebPages(count: number): Promise<readonly WebPage[]> {
  const served: Served[] = [];
  for (let index = 0; index < count; index += 1) {
    const one = await servePage(PAGE);
    endOfFile.push(() => one.close());
    served.push(one);
  }
  const chromium = await launchChromium();
  endOfFile.push(() => chromium.close());
  const open = async ({ origin }: Served): Promise<WebPage> => {
    const page: Page = await chromium.context.newPage();
    await page.goto(origin);
    const fetch = (url: string, options: object): Promise<PageAnswer> =>
      page.evaluate<PageAnswer>(`send(${JSON.stringify(url)}, ${JSON.stringify(options)})`);
    return { origin, fetch };
  };
  return Promise.all(served.map(open));
}
