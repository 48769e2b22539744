import './dashboards.css';
import { ActionIcon, Alert, Button, Group, Menu, Stack, Text, Title } from '@mantine/core';
import { useFocusTrap, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { api } from '../../api/client.js';
import {
  ChangedMeanwhile,
  createDashboard,
  isSameContent,
  nameOfCopy,
  READ_WHILE_EDITING_EVERY_MS,
  saveDashboard,
  savedViewsKey,
  savedViewsOf,
  showDashboard,
} from '../../api/dashboards.js';
import { MEMBERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { Ago } from '../../parts/moment.js';
import { Rename } from '../../parts/rename.js';
import { Empty } from '../../parts/rows.js';
import { fileName, save } from '../../parts/save.js';
import { UnsavedChanges } from '../../parts/unsaved-changes.js';
import type { DashboardSearch } from '../../routes/dashboards.js';
import { homeKey } from '../../routes/home.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { EventDetail } from '../insight/event-detail.js';
import { AddPanel } from './add-panel.js';
import {
  type Content,
  contentOf,
  filtersOfContent,
  MAX_PANELS,
  MAX_VARIABLES,
  newId,
  type Panel,
  restMsOf,
} from './content.js';
import { type Draft, useDraft } from './draft.js';
import { arranged, byPlace, moved, swapped } from './layout.js';
import { PanelGrid } from './panel-grid.js';
import { type PanelActs, PanelView } from './panel.js';
import { exported } from './transfer.js';
import { chosenIn, clausesOfVariables, NewVariable, Variables, withChosen, withoutChosen } from './variables.js';

type View = Schemas['SavedViewResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/dashboards/$dashboard');

/** Shows the dashboard with the id in the address. */
export function DashboardPage() {
  const { project } = useCurrentProject();
  const { dashboard: id } = route.useParams();
  const { data, error } = useQuery(savedViewsOf(project.id, 'dashboard'));
  const found = data?.find((each) => each.id === id);
  // A dashboard that somebody else deletes stays, so that its changes can be saved as a copy.
  const [known, setKnown] = useState(found);
  if (found !== undefined && found !== known) setKnown(found);
  const view = found ?? (known?.id === id ? known : undefined);
  if (view !== undefined) return <Shown key={id} view={view} isDeleted={found === undefined} error={error} />;
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  return <Missing id={id} title="There is no such dashboard" about="It may have been deleted." />;
}

interface MissingProps {
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

function Missing({ id, title, about }: MissingProps) {
  const { organization, project } = useCurrentProject();
  const [home, setHome] = useHome();
  return (
    <Empty title={title} about={about}>
      {home === id && (
        <Button variant="default" onClick={() => setHome(null)}>
          Show the overview as home again
        </Button>
      )}
      <LinkAnchor
        to="/o/$organization/p/$project/dashboards"
        params={{ organization: organization.slug, project: project.slug }}
      >
        All dashboards
      </LinkAnchor>
    </Empty>
  );
}

/** Returns the id of the dashboard that this browser shows as home, and a function that sets it. Null: the overview. */
function useHome() {
  const { organization, project } = useCurrentProject();
  return useLocalStorage<string | null>({
    key: homeKey({ organization: organization.slug, project: project.slug }),
    defaultValue: null,
    getInitialValueInEffect: false,
  });
}

type Open = 'rename' | 'delete' | 'panel' | 'variable' | null;

interface ShownProps {
  readonly view: View;
  readonly isDeleted: boolean;
  /** Why the newest state could not be read. Null: it was. */
  readonly error: Error | null;
}

function Shown({ view, isDeleted, error }: ShownProps) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const refusal = useRefusal(project.id, MEMBERS);
  const [editing, setEditing] = useState<Draft>();
  const [open, setOpen] = useState<Open>(null);
  const [renamed, setRenamed] = useState<Panel>();
  const stored = useMemo(() => contentOf(view.filters), [view.filters]);
  const content = editing?.content ?? stored;
  const isDirty = editing !== undefined && !isContentOf(editing.base, editing.content);
  const [draft, dropDraft] = useDraft(view.id, isDirty ? editing : undefined);
  useQuery({
    ...savedViewsOf(project.id, 'dashboard'),
    refetchInterval: editing === undefined ? false : READ_WHILE_EDITING_EVERY_MS,
  });
  // Another state of the dashboard has been read. It is no conflict when nothing has been changed here, or the same.
  if (editing !== undefined && editing.base !== view && (!isDirty || isContentOf(view, editing.content)))
    setEditing({ base: view, content: isDirty ? editing.content : stored });
  const set = (change: Partial<DashboardSearch>, replace = true) =>
    void navigate({ search: (before: DashboardSearch) => ({ ...before, ...change }), replace });
  const change = (part: Partial<Content>) =>
    setEditing((before) => before && { ...before, content: { ...before.content, ...part } });
  const refetch = () => queries.invalidateQueries({ queryKey: savedViewsKey(project.id) });
  const show = (dashboard: string) =>
    navigate({
      to: '/o/$organization/p/$project/dashboards/$dashboard',
      params: { ...params, dashboard },
      ignoreBlocker: true,
    });
  const saving = useMutation({
    mutationFn: ({ base, content: next }: Draft) => saveDashboard(base, filtersOfContent(next)),
    onSuccess: async (saved) => {
      await showDashboard(queries, saved);
      setEditing(undefined);
    },
    onError: (reason) => (reason instanceof ChangedMeanwhile ? refetch() : undefined),
  });
  const copying = useMutation({
    mutationFn: async () =>
      createDashboard(project.id, await nameOfCopy(project.id, view.name), filtersOfContent(content)),
    onSuccess: async (copy) => {
      await showDashboard(queries, copy);
      await show(copy.id);
    },
  });
  const isConflicting = isDirty && (isDeleted || !isSameContent(view.filters, editing.base.filters));
  const close = () => setOpen(null);
  const stop = () => {
    saving.reset();
    setEditing(undefined);
    if (isDeleted) void navigate({ to: '/o/$organization/p/$project/dashboards', params, ignoreBlocker: true });
  };

  const variables = chosenIn(search.values, content.variables);
  const clauses = clausesOfVariables(variables);
  const choose = (name: string, value: (typeof variables)[number]['value']) => {
    if (editing === undefined) {
      set({ values: withChosen(search.values, name, value) });
    } else {
      set({ values: withoutChosen(search.values, name) });
      change({ variables: content.variables.map((each) => (each.name === name ? { ...each, value } : each)) });
    }
  };
  const [home, setHome] = useHome();
  const isFull = search.full === 'on';
  useEscape(isFull, () => set({ full: undefined }));
  const trap = useFocusTrap(isFull);

  if (isDeleted && !isDirty)
    return (
      <Missing
        id={view.id}
        title="Somebody else has deleted this dashboard"
        about="It is gone for everybody in the project."
      />
    );
  return (
    <div ref={trap} className={isFull ? 'dashboard-full' : undefined}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-end">
          <div style={{ minWidth: 0 }}>
            {!isFull && (
              <Group gap="md">
                <LinkAnchor to="/o/$organization/p/$project/dashboards" params={params} size="sm">
                  <span aria-hidden="true">← </span>Dashboards
                </LinkAnchor>
                {home === view.id && (
                  <LinkAnchor to="/o/$organization/p/$project" params={params} search={{ overview: 'on' }} size="sm">
                    Overview
                  </LinkAnchor>
                )}
              </Group>
            )}
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {view.name}
            </Title>
            <Text c="dimmed" size="sm">
              {content.panels.length === 1 ? '1 panel' : `${content.panels.length} panels`}, changed{' '}
              <Ago at={view.updated_at} />
            </Text>
          </div>
          <Group gap="sm">
            {isFull ? (
              <Button variant="default" onClick={() => set({ full: undefined })}>
                Leave full screen
              </Button>
            ) : editing === undefined ? (
              <>
                <Button
                  variant="default"
                  leftSection={<Icon name="whole" size={16} />}
                  onClick={() => set({ full: 'on' })}
                >
                  Full screen
                </Button>
                <Act refusal={refusal} onAct={() => setEditing({ base: view, content: stored })}>
                  Edit
                </Act>
                <More
                  refusal={refusal}
                  isHome={home === view.id}
                  onHome={() => setHome(home === view.id ? null : view.id)}
                  onRename={() => setOpen('rename')}
                  onDuplicate={() => copying.mutate()}
                  onExport={() => save(exported(view.name, stored), fileName(project.slug, 'dashboard', 'json'))}
                  onDelete={() => setOpen('delete')}
                />
              </>
            ) : (
              <>
                <Button
                  variant="default"
                  disabled={content.variables.length >= MAX_VARIABLES}
                  leftSection={<Icon name="plus" size={16} />}
                  onClick={() => setOpen('variable')}
                >
                  Variable
                </Button>
                <Button
                  variant="default"
                  disabled={content.panels.length >= MAX_PANELS}
                  leftSection={<Icon name="plus" size={16} />}
                  onClick={() => setOpen('panel')}
                >
                  Panel
                </Button>
                <Button variant="default" onClick={stop}>
                  Cancel
                </Button>
                {!isConflicting && (
                  <Button loading={saving.isPending} onClick={() => saving.mutate(editing)}>
                    Save
                  </Button>
                )}
              </>
            )}
          </Group>
        </Group>
        <Failure error={copying.error ?? (isConflicting ? null : saving.error) ?? error} />
        {draft !== undefined && editing === undefined && refusal === undefined && (
          <Unfinished
            onContinue={() => {
              setEditing(draft);
              dropDraft();
            }}
            onDiscard={dropDraft}
          />
        )}
        {isConflicting && (
          <Conflict
            isDeleted={isDeleted}
            isCopying={copying.isPending}
            onCopy={() => copying.mutate()}
            onDiscard={stop}
          />
        )}
        <Variables
          projectId={project.id}
          variables={variables}
          onChoose={choose}
          onRemove={
            editing === undefined
              ? undefined
              : (name) => change({ variables: content.variables.filter((each) => each.name !== name) })
          }
        />
        {content.panels.length === 0 && <NoPanels />}
        <Panels
          panels={content.panels}
          isEditing={editing !== undefined}
          onArrange={(panels) => change({ panels })}
          onRename={setRenamed}
        >
          {(panel, acts) => (
            <PanelView
              panel={panel}
              clauses={clauses}
              restMs={restMsOf(panel, content.panels)}
              acts={acts}
              onShow={(shown) => set({ shown }, false)}
            />
          )}
        </Panels>
      </Stack>
      <UnsavedChanges isDirty={isDirty} />
      <EventDetail projectId={project.id} eventId={search.shown} onClose={() => set({ shown: undefined })} />
      <Dialog title="Rename the dashboard" isOpen={open === 'rename'} onClose={close}>
        <Rename
          before={view.name}
          rename={async (name) => {
            await api.updateSavedView({ path: { project_id: project.id, view_id: view.id }, body: { name } });
            await refetch();
          }}
          onDone={close}
        />
      </Dialog>
      <Dialog title="Delete the dashboard" isOpen={open === 'delete'} onClose={close}>
        <Confirmation
          verb="Delete"
          isDangerous
          act={async () => {
            await api.deleteSavedView({ path: { project_id: project.id, view_id: view.id } });
            await navigate({ to: '/o/$organization/p/$project/dashboards', params });
            await refetch();
          }}
          onClose={close}
        >
          <b>{view.name}</b> is gone for everybody in the project.
        </Confirmation>
      </Dialog>
      <Dialog title="Rename the panel" isOpen={renamed !== undefined} onClose={() => setRenamed(undefined)}>
        {renamed !== undefined && (
          <Rename
            before={renamed.title}
            rename={(title) => {
              change({ panels: content.panels.map((each) => (each.id === renamed.id ? { ...each, title } : each)) });
              return Promise.resolve();
            }}
            onDone={() => setRenamed(undefined)}
          />
        )}
      </Dialog>
      <Dialog title="Add a variable" isOpen={open === 'variable'} onClose={close}>
        <NewVariable
          projectId={project.id}
          variables={content.variables}
          onAdd={(variable) => {
            change({ variables: [...content.variables, variable] });
            close();
          }}
        />
      </Dialog>
      <Dialog title="Add a panel" isOpen={open === 'panel'} onClose={close}>
        <AddPanel
          content={content}
          onAdd={(next) => {
            change(next);
            close();
          }}
        />
      </Dialog>
    </div>
  );
}

function isContentOf({ filters }: View, content: Content): boolean {
  return isSameContent(filtersOfContent(contentOf(filters)), filtersOfContent(content));
}

/** Calls a function when Escape is pressed, unless it closes a dialog, a menu or a list. */
function useEscape(isActive: boolean, act: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const onKey = ({ key, target }: KeyboardEvent) => {
      const isOther =
        target instanceof Element && target.closest('[role=dialog], [role=menu], [aria-expanded=true]') !== null;
      if (key === 'Escape' && !isOther) act();
    };
    // Runs before the key has closed a list.
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  });
}

interface MoreProps {
  readonly refusal: string | undefined;
  readonly isHome: boolean;
  readonly onHome: () => void;
  readonly onRename: () => void;
  readonly onDuplicate: () => void;
  readonly onExport: () => void;
  readonly onDelete: () => void;
}

function More({ refusal, isHome, onHome, onRename, onDuplicate, onExport, onDelete }: MoreProps) {
  const isRefused = refusal !== undefined;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="More actions">
          <Icon name="more" size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onHome}>{isHome ? 'Show the overview as home again' : 'Show as home'}</Menu.Item>
        <Menu.Item onClick={onExport}>Export as JSON</Menu.Item>
        <Menu.Item disabled={isRefused} onClick={onRename}>
          Rename
        </Menu.Item>
        <Menu.Item disabled={isRefused} onClick={onDuplicate}>
          Duplicate
        </Menu.Item>
        <Menu.Item disabled={isRefused} color="red" onClick={onDelete}>
          Delete
        </Menu.Item>
        {isRefused && <Menu.Label>{refusal}</Menu.Label>}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ConflictProps {
  readonly isDeleted: boolean;
  readonly isCopying: boolean;
  readonly onCopy: () => void;
  readonly onDiscard: () => void;
}

/** Shown when somebody else has changed or deleted the dashboard that is being edited. */
function Conflict({ isDeleted, isCopying, onCopy, onDiscard }: ConflictProps) {
  return (
    <Alert
      color="orange"
      variant="light"
      role="alert"
      title={`Somebody else has ${isDeleted ? 'deleted' : 'changed'} this dashboard`}
    >
      <Stack gap="sm">
        <Text size="sm">Your changes are not saved. Keep them in a copy, or discard them.</Text>
        <Group gap="sm">
          <Button size="xs" loading={isCopying} onClick={onCopy}>
            Save as a copy
          </Button>
          <Button size="xs" variant="default" onClick={onDiscard}>
            {isDeleted ? 'Discard my changes' : 'Discard mine and show theirs'}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

interface UnfinishedProps {
  readonly onContinue: () => void;
  readonly onDiscard: () => void;
}

/** Offers the changes that were not saved when the session ended or the page was loaded again. */
function Unfinished({ onContinue, onDiscard }: UnfinishedProps) {
  return (
    <Alert color="orange" variant="light" role="alert" title="You have changed this dashboard before">
      <Stack gap="sm">
        <Text size="sm">These changes were not saved.</Text>
        <Group gap="sm">
          <Button size="xs" onClick={onContinue}>
            Continue with my changes
          </Button>
          <Button size="xs" variant="default" onClick={onDiscard}>
            Discard them
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function NoPanels() {
  const { organization, project } = useCurrentProject();
  return (
    <Empty
      title="No panel yet"
      about="Choose what to count in Analytics, then press “Pin to dashboard” there. Query, Performance and Logs have this button, too. With Edit, you add a saved question."
    >
      <LinkButton
        variant="default"
        to="/o/$organization/p/$project/analytics"
        params={{ organization: organization.slug, project: project.slug }}
      >
        Open Analytics
      </LinkButton>
    </Empty>
  );
}

interface PanelsProps {
  readonly panels: readonly Panel[];
  readonly isEditing: boolean;
  readonly onArrange: (panels: readonly Panel[]) => void;
  readonly onRename: (panel: Panel) => void;
  readonly children: (panel: Panel, acts: PanelActs | undefined) => ReactNode;
}

/** Arranges panels on a grid, or in one column on a phone. */
function Panels({ panels: given, isEditing, onArrange, onRename, children }: PanelsProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const panels = arranged(given).sort(byPlace);
  const actsOf = (panel: Panel): PanelActs => ({
    onMove: (move) =>
      onArrange(
        isPhone && (move === 'up' || move === 'down') ? swapped(panels, panel.id, move) : moved(panels, panel.id, move),
      ),
    onRename: () => onRename(panel),
    onDuplicate: () => {
      if (panels.length >= MAX_PANELS) return;
      const copy = { ...panel, id: newId(panels), layout: { ...panel.layout, y: panel.layout.y + 0.5 } };
      onArrange(arranged([...panels, copy]));
    },
    onRemove: () => onArrange(arranged(panels.filter(({ id }) => id !== panel.id))),
  });
  const shown = (panel: Panel) => children(panel, isEditing ? actsOf(panel) : undefined);
  if (isPhone) {
    return (
      <div className="panels">
        {panels.map((panel) => (
          <div key={panel.id}>{shown(panel)}</div>
        ))}
      </div>
    );
  }
  return (
    <PanelGrid panels={panels} isEditing={isEditing} onArrange={onArrange}>
      {shown}
    </PanelGrid>
  );
}
