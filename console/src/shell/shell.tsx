import { ActionIcon, Button, Kbd, NavLink, Select } from '@mantine/core';
import { openSpotlight } from '@mantine/spotlight';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { LinkNav } from '../parts/links.js';
import { projectSettings } from '../api/owning.js';
import { organizations, projects } from '../api/queries.js';
import { CurrentChartProject } from '../parts/chart/chart-project.js';
import { Icon } from '../parts/icons.js';
import { Mark } from '../parts/mark.js';
import { UndoToast } from '../parts/undo.js';
import { useCurrentProject } from './current-project.js';
import { AlertNotices } from './alert-notices.js';
import { Zone } from '../parts/zone.js';
import { Frame } from './frame.js';
import { AreaTabs, Navigation, ProjectTitle, railEntry, RailTip } from './navigation.js';
import { QuotaBanner } from './quota-banner.js';
import { useRail } from './rail.js';
import { Search } from './search.js';
import { Shortcuts } from './shortcuts.js';
import { TimeBar } from './time-bar.js';
import { useTimeRange } from './time-range.js';

const BASE = '/o/$organization/p/$project';

/** The layout of every page of a project. */
export function Shell() {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const { zone } = useTimeRange();
  const { data: settings } = useSuspenseQuery(projectSettings(project.id));
  const charts = useMemo(
    () => ({ id: project.id, slug: project.slug, annotationEvents: settings.annotation_events ?? [] }),
    [project, settings.annotation_events],
  );
  const [areKeysShown, setAreKeysShown] = useState(false);
  const { isRail, toggle } = useRail();
  return (
    <Zone value={zone}>
      <Frame
        label="Pages of the project"
        head={
          <>
            <Link to={BASE} params={params} aria-label="Overview" style={{ display: 'flex' }}>
              <Mark />
            </Link>
            <ProjectSwitch />
          </>
        }
        tools={
          <>
            <TimeBar isInHeader />
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
          </>
        }
        isRail={isRail}
        pages={(close) => <Navigation isRail={isRail} onGo={close} />}
        foot={(close) => (
          <>
            <RailTip isRail={isRail} label="First steps">
              <LinkNav
                to={`${BASE}/first-event`}
                params={params}
                label="First steps"
                leftSection={<Icon name="rocket" />}
                onClick={close}
                {...railEntry(isRail, 'First steps')}
              />
            </RailTip>
            <RailTip isRail={isRail} label="Shortcuts">
              <NavLink
                component="button"
                label="Shortcuts"
                visibleFrom="sm"
                leftSection={<Icon name="keyboard" />}
                rightSection={<Kbd size="xs">?</Kbd>}
                onClick={() => setAreKeysShown(true)}
                {...railEntry(isRail, 'Shortcuts')}
              />
            </RailTip>
            <RailTip isRail={isRail} label="Help">
              <NavLink
                href="/console/help"
                target="_blank"
                rel="noreferrer"
                label="Help"
                leftSection={<Icon name="docs" />}
                {...railEntry(isRail, 'Help')}
              />
            </RailTip>
            <RailTip isRail={isRail} label="API documentation">
              <NavLink
                href="/docs"
                target="_blank"
                rel="noreferrer"
                label="API documentation"
                leftSection={<Icon name="docs" />}
                {...railEntry(isRail, 'API documentation')}
              />
            </RailTip>
            {toggle !== undefined && (
              <RailTip isRail={isRail} label="Show the names">
                <NavLink
                  component="button"
                  label="Show only icons"
                  leftSection={<Icon name={isRail ? 'right' : 'left'} />}
                  rightSection={<Kbd size="xs">[</Kbd>}
                  onClick={toggle}
                  {...railEntry(isRail, 'Show the names')}
                />
              </RailTip>
            )}
          </>
        )}
      >
        <ProjectTitle />
        <AlertNotices key={`notices ${project.id}`} />
        <QuotaBanner />
        <AreaTabs />
        <TimeBar isInHeader={false} />
        {/* Nothing that a page keeps is of another project. */}
        <CurrentChartProject value={charts}>
          <Outlet key={project.id} />
        </CurrentChartProject>
        <UndoToast key={`toast ${project.id}`} />
        <Search onKeys={() => setAreKeysShown(true)} />
        <Shortcuts isOpen={areKeysShown} onOpen={setAreKeysShown} />
      </Frame>
    </Zone>
  );
}

/** A select of the projects of all organizations. The address decides which project is current. */
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
