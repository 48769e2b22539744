import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  NavLink,
  ScrollArea,
  Select,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { openSpotlight } from '@mantine/spotlight';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { LinkItem, LinkNav } from '../parts/links.js';
import { me, organizations, projects } from '../api/queries.js';
import { signOut } from '../api/session.js';
import { Icon } from '../parts/icons.js';
import { Mark } from '../parts/mark.js';
import { useCurrentProject } from './current-project.js';
import { Search } from './search.js';

const BASE = '/o/$organization/p/$project';
const PAGES = [
  { to: BASE, label: 'Overview', icon: 'overview' },
  { to: `${BASE}/logs`, label: 'Logs', icon: 'logs' },
  { to: `${BASE}/keys`, label: 'API keys', icon: 'key' },
  { to: `${BASE}/first-event`, label: 'First steps', icon: 'rocket' },
] as const;

/** What stands around every page of a project. */
export function Shell() {
  const { organization, project } = useCurrentProject();
  const [isOpen, { toggle, close }] = useDisclosure();
  const params = { organization: organization.slug, project: project.slug };

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#content">
        To the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Link to={BASE} params={params} aria-label="Overview" style={{ display: 'flex' }}>
              <Mark />
            </Link>
            <ProjectSwitch />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              visibleFrom="sm"
              leftSection={<Icon name="search" size={16} />}
              rightSection={<Kbd size="xs">⌘K</Kbd>}
              onClick={openSpotlight}
            >
              Search
            </Button>
            <ActionIcon variant="default" size="lg" hiddenFrom="sm" aria-label="Search" onClick={openSpotlight}>
              <Icon name="search" />
            </ActionIcon>
            <SchemeSwitch />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages of the project">
        <AppShell.Section grow component={ScrollArea}>
          <Stack gap={2}>
            {PAGES.map(({ to, label, icon }) => (
              <LinkNav
                key={to}
                to={to}
                params={params}
                label={label}
                leftSection={<Icon name={icon} />}
                activeOptions={{ exact: true }}
                onClick={close}
              />
            ))}
          </Stack>
        </AppShell.Section>
        <AppShell.Section>
          <NavLink
            href="/docs"
            target="_blank"
            rel="noreferrer"
            label="API documentation"
            leftSection={<Icon name="docs" />}
          />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Outlet />
      </AppShell.Main>
      <Search projectId={project.id} params={params} />
    </AppShell>
  );
}

/** Of all projects of all organizations, by the organization. The address says which one it is. */
function ProjectSwitch() {
  const current = useCurrentProject();
  const navigate = useNavigate();
  const { data: known } = useSuspenseQuery(organizations);
  const { data: all } = useSuspenseQuery(projects);
  const groups = known
    .map(({ id, name }) => ({
      group: name,
      items: all.filter((each) => each.organization_id === id).map((each) => ({ value: each.id, label: each.name })),
    }))
    .filter(({ items }) => items.length > 0);
  const show = async (id: string | null) => {
    const project = all.find((each) => each.id === id);
    const organization = known.find((each) => each.id === project?.organization_id);
    if (project === undefined || organization === undefined) return;
    await navigate({ to: BASE, params: { organization: organization.slug, project: project.slug } });
  };
  return (
    <Select
      aria-label="Project"
      data={groups}
      value={current.project.id}
      onChange={(id) => void show(id)}
      allowDeselect={false}
      searchable={all.length > 7}
      comboboxProps={{ width: 260, position: 'bottom-start' }}
      maw={220}
    />
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      visibleFrom="xs"
      aria-label={`Show it ${other}`}
      onClick={() => setColorScheme(other)}
    >
      <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
    </ActionIcon>
  );
}

function PersonMenu() {
  const { data: person } = useSuspenseQuery(me);
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    await navigate({ to: '/login' });
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Your account">
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" truncate>
            {person.email}
          </Text>
        </Menu.Label>
        <LinkItem to="/start" leftSection={<Icon name="plus" size={16} />}>
          New project
        </LinkItem>
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
