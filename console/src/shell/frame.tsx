import { AppShell, Burger, Group, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { InMain } from './around-pages.js';
import { PersonMenu, SchemeSwitch } from './person.js';

interface Props {
  /** The name of the navigation, for screen readers. */
  readonly label: string;
  /** The beginning of the header: the mark, which links to the start, and the name of the place. */
  readonly head: ReactNode;
  /** Shown in the header before the parts that every page has. */
  readonly tools?: ReactNode;
  /** @param close closes the navigation, which covers the page on a phone */
  readonly pages: (close: () => void) => ReactNode;
  /** Shown below the pages. */
  readonly foot: (close: () => void) => ReactNode;
  /** Whether the navigation shows only icons. */
  readonly isRail?: boolean;
  readonly children: ReactNode;
}

/** The layout with header and navigation. */
export function Frame({ label, head, tools, pages, foot, isRail = false, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: isRail ? 48 : 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#content">
        To the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            {head}
          </Group>
          <Group gap="xs" wrap="nowrap">
            {tools}
            <SchemeSwitch />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p={isRail ? 4 : 'sm'} aria-label={label}>
        <AppShell.Section grow component={ScrollArea}>
          {pages(close)}
        </AppShell.Section>
        <AppShell.Section>{foot(close)}</AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <InMain value>{children}</InMain>
      </AppShell.Main>
    </AppShell>
  );
}
