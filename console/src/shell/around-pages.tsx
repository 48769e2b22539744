import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, use } from 'react';
import { lacksSecondFactor } from '../api/second-factor.js';
import { LinkButton } from '../parts/links.js';
import { Failure } from '../parts/failures.js';

/** Whether a layout has a main part around the page. */
export const InMain = createContext(false);

/** A page instead of the one that was asked for. It is the main part of a document without a layout. */
function InsteadOfPage({ children }: { readonly children: ReactNode }) {
  return (
    <Center component={use(InMain) ? 'div' : 'main'} mih={320} p="md">
      {children}
    </Center>
  );
}

export function PendingPage() {
  return (
    <Center mih={320} role="status" aria-label="Loading">
      <Loader />
    </Center>
  );
}

export function FailedPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  // The page of second factors follows at once.
  if (lacksSecondFactor(error)) return <PendingPage />;
  return (
    <InsteadOfPage>
      <Stack maw={480} w="100%">
        <Title order={1} size="h3">
          This page could not be shown
        </Title>
        <Failure error={error} />
        <Button
          onClick={() => {
            reset();
            void router.invalidate();
          }}
        >
          Try again
        </Button>
      </Stack>
    </InsteadOfPage>
  );
}

export function MissingPage() {
  return (
    <InsteadOfPage>
      <Stack maw={480} align="flex-start">
        <Title order={1} size="h3">
          There is no such page
        </Title>
        <Text c="dimmed">
          The address may be mistyped, or what it led to belongs to an organization that you are not in.
        </Text>
        <LinkButton to="/">To the console</LinkButton>
      </Stack>
    </InsteadOfPage>
  );
}
