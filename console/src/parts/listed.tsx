import { Button, Center } from '@mantine/core';
import type { ReactNode } from 'react';
import { PendingPage } from '../shell/around-pages.js';
import { Failure } from './failures.js';

interface Props<Item> {
  /** The state of the query that reads the list. */
  readonly query: { readonly data: readonly Item[] | undefined; readonly error: unknown };
  /** Shown instead of a list without rows. */
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/**
 * Shows a list that is loading, failed, empty or loaded. When a refetch fails, the list stays and the error is shown
 * above.
 */
export function Listed<Item>({ query: { data, error }, empty, children }: Props<Item>) {
  return (
    <>
      <Failure error={error} />
      {data === undefined && error === null && <PendingPage />}
      {data?.length === 0 && empty}
      {data !== undefined && data.length > 0 && children(data)}
    </>
  );
}

interface MoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** A button below a list that loads the next page. */
export function More({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreProps) {
  if (!hasNextPage) return null;
  return (
    <Center>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </Center>
  );
}
