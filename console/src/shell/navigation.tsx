import { Badge, Box, Group, Indicator, Stack, Tooltip, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { alertSummary } from '../api/alerting.js';
import { Icon } from '../parts/icons.js';
import { LinkNav, LinkTab } from '../parts/links.js';
import { useCurrentProject } from './current-project.js';
import { type Area, GROUPS, placeOf, type ProjectPage } from './pages.js';
import { PinnedViews } from './pinned-views.js';
import { useRecent } from './recent.js';

const BASE = '/o/$organization/p/$project';

/** Interval in which the number of open alerts is read, besides the reads of the alert pages. */
const ALERTS_MS = 60_000;

/** Returns how many alerts of the current project are unresolved. Zero until that is known. */
function useUnresolved(): number {
  const { project } = useCurrentProject();
  const { data } = useQuery({ ...alertSummary(project.id), refetchInterval: ALERTS_MS });
  return data?.unresolved ?? 0;
}

interface Props {
  /** Whether only icons are shown. */
  readonly isRail: boolean;
  /** Closes the navigation, which covers the page on a phone. */
  readonly onGo: () => void;
}

/** The areas of the project. Groups fold, and the browser remembers which are folded. */
export function Navigation({ isRail, onGo }: Props) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const [folded, setFolded] = useLocalStorage<readonly string[]>({
    key: 'console-folded-groups',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const unresolved = useUnresolved();
  const place = placeOf(useLocation({ select: ({ pathname }) => pathname }));
  const view = useRef<HTMLDivElement>(null);
  useShownActive(view, place?.area.area);
  const toggle = (group: string) =>
    setFolded((before) => (before.includes(group) ? before.filter((each) => each !== group) : [...before, group]));

  return (
    <div ref={view}>
      {GROUPS.map(({ group, areas }) => {
        const isFolded = !isRail && group !== null && folded.includes(group);
        const shown: readonly Area[] = isFolded ? [] : areas;
        return (
          <Stack key={group} gap={2} mb="sm">
            {group !== null && !isRail && (
              <h2 className="nav-group">
                <UnstyledButton
                  aria-expanded={!isFolded}
                  onClick={() => toggle(group)}
                  fz="xs"
                  fw={600}
                  c="dimmed"
                  px="sm"
                  py={4}
                  w="100%"
                >
                  <Group justify="space-between" gap={0}>
                    {group}
                    <Icon name={isFolded ? 'right' : 'down'} size={14} />
                  </Group>
                </UnstyledButton>
              </h2>
            )}
            {shown.map(({ area, icon, pages: [{ to }] }) => {
              const count = area === 'Alerts' && unresolved > 0 ? (unresolved > 999 ? '999+' : unresolved) : undefined;
              const name = count === undefined ? area : `${area} ${count}`;
              return (
                <RailTip key={area} isRail={isRail} label={name}>
                  <LinkNav
                    to={to}
                    params={params}
                    label={area}
                    active={place?.area.area === area}
                    leftSection={
                      isRail && count !== undefined ? (
                        <Indicator color="red" size={8}>
                          <Icon name={icon} />
                        </Indicator>
                      ) : (
                        <Icon name={icon} />
                      )
                    }
                    rightSection={
                      count === undefined ? undefined : (
                        <Badge size="sm" color="red" className="numbers">
                          {count}
                        </Badge>
                      )
                    }
                    activeOptions={{ exact: to === BASE }}
                    onClick={onGo}
                    {...railEntry(isRail, name)}
                  />
                </RailTip>
              );
            })}
          </Stack>
        );
      })}
      <PinnedViews isRail={isRail} onGo={onGo} />
    </div>
  );
}

interface RailTipProps {
  readonly isRail: boolean;
  readonly label: string;
  readonly children: ReactNode;
}

/** Shows the name of an entry of the rail. */
export function RailTip({ isRail, label, children }: RailTipProps) {
  return (
    <Tooltip label={label} position="right" disabled={!isRail} events={{ hover: true, focus: true, touch: false }}>
      {children}
    </Tooltip>
  );
}

/** Returns the properties of an entry of the navigation. The rail shows no text, so the entry has a label there. */
export function railEntry(isRail: boolean, label: string) {
  return isRail ? { className: 'rail-entry', 'aria-label': label } : {};
}

/** The pages of the current area as tabs. Nothing in an area of one page. */
export function AreaTabs() {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const place = placeOf(useLocation({ select: ({ pathname }) => pathname }));
  const view = useRef<HTMLElement>(null);
  useShownActive(view, place?.page.label);
  if (place === undefined || place.area.pages.length === 1) return null;
  const pages: readonly ProjectPage[] = place.area.pages;
  return (
    <Box component="nav" ref={view} className="area-tabs" aria-label={`Pages of ${place.area.area}`} mb="md">
      {pages.map(({ to, label }) => (
        <LinkTab key={to} to={to} params={params} data-active={place.page.to === to || undefined}>
          {label}
        </LinkTab>
      ))}
    </Box>
  );
}

/** Scrolls the active entry into view when another entry becomes active. */
function useShownActive(view: React.RefObject<HTMLElement | null>, active: string | undefined): void {
  useEffect(() => {
    view.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [view, active]);
}

/** The title of a page that sets none. */
const PROGRAM = 'Console';

/** Names the tab of the browser after the page, as long as the calling component is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = PROGRAM;
    };
  }, [title]);
}

/** Names the tab of the browser after the current page of the project, with the number of open alerts. */
export function ProjectTitle() {
  const { project } = useCurrentProject();
  const unresolved = useUnresolved();
  const pathname = useLocation({ select: (location) => location.pathname });
  const place = placeOf(pathname);
  const label = pathname.endsWith('/first-event') ? 'First steps' : place?.page.label;
  useTitle(`${unresolved > 0 ? `(${unresolved}) ` : ''}${label === undefined ? '' : `${label} · `}${project.name}`);
  const [, addRecent] = useRecent(project.id);
  // A page of one thing becomes a recent place by its name, when the search opens it.
  const isWhole = place !== undefined && pathname.replace(/\/$/, '').endsWith(place.page.to.slice(BASE.length));
  useEffect(() => {
    if (isWhole && label !== undefined) addRecent({ label, href: pathname });
  }, [addRecent, isWhole, label, pathname]);
  return null;
}
