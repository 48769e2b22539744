import { Button, Center } from '@mantine/core';
import type { ReactNode } from 'react';
import { PendingPage } from '../shell/around-pages.js';
import { Failure } from './failures.js';

interface Props<Item> {
  /** Of the list, as it is read. */
  readonly asked: { readonly data: readonly Item[] | undefined; readonly error: unknown };
  /** In place of a list without rows. */
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** A list on its way, failed, empty, or there. What is there stays when reading it anew fails, with the failure above. */
export function Listed<Item>({ asked: { data, error }, empty, children }: Props<Item>) {
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
  readonly asked: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** Below a list that comes in pages. */
export function More({ asked: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreProps) {
  if (!hasNextPage) return null;
  return (
    <Center>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </Center>
  );
}
