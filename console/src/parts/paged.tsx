import { Button, Group, Pagination, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PAGE_ROWS } from '../api/pages.js';
import { PendingPage } from '../shell/around-pages.js';
import { Failure } from './failures.js';
import { whole } from './numbers.js';
import { Empty } from './rows.js';

interface Props<Item> {
  /** The state of the query that reads one page of the list. */
  readonly query: {
    readonly data: { readonly items: readonly Item[]; readonly total: number } | undefined;
    readonly error: unknown;
  };
  /** The page number in the address. */
  readonly page: string | undefined;
  readonly onPage: (page: string | undefined) => void;
  /** Shown instead of a list without rows. */
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** Shows one page of a list, with the total and the page numbers below. When a refetch fails, the list stays. */
export function Paged<Item>({ query: { data, error }, page, onPage, empty, children }: Props<Item>) {
  return (
    <>
      <Failure error={error} />
      {data === undefined && error === null && <PendingPage />}
      {data?.total === 0 && empty}
      {data !== undefined && data.total > 0 && (
        <Stack>
          {data.items.length > 0 ? (
            children(data.items)
          ) : (
            <Empty
              title="Nothing on this page"
              about="The list ends before it: it has become shorter, or never was so long."
            >
              <Button variant="default" onClick={() => onPage(undefined)}>
                To the first page
              </Button>
            </Empty>
          )}
          <Pages total={data.total} page={Number(page ?? 1)} onPage={onPage} />
        </Stack>
      )}
    </>
  );
}

interface PagesProps {
  readonly total: number;
  readonly page: number;
  readonly onPage: (page: string | undefined) => void;
}

function Pages({ total, page, onPage }: PagesProps) {
  const pages = Math.ceil(total / PAGE_ROWS);
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" className="numbers">
        {whole(total)} in all
      </Text>
      {(pages > 1 || page > pages) && (
        <Pagination
          size="sm"
          total={pages}
          // No page number is selected past the end of the list.
          value={page > pages ? 0 : page}
          onChange={(next) => onPage(next === 1 ? undefined : String(next))}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(each) => ({ 'aria-label': `Page ${each}` })}
        />
      )}
    </Group>
  );
}
