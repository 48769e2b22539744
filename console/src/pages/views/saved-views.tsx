import { Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { given, savedViews } from '../../api/insight.js';
import { MEMBERS, useRefusal } from '../../api/roles.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { type LogsSearch, searchOfView } from '../../routes/logs-search.js';
import { useCurrentProject } from '../../shell/current-project.js';

type View = Schemas['SavedViewResponse'];

interface Props {
  /** The part of the address of the logs that is saved. */
  readonly search: LogsSearch;
  readonly onApply: (search: LogsSearch) => void;
}

/** Lists, saves and changes filters that the members of the project have named. */
export function SavedViews({ search, onApply }: Props) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(savedViews(project.id));
  const refusal = useRefusal(project.id, MEMBERS);
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const views = data ?? [];
  const filters = { ...given(search), page: 'logs' };
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="bookmark" size={16} />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{views.length === 0 ? 'No view has been saved yet' : 'Saved views'}</Menu.Label>
          {views.map(({ id, name, filters: kept }) => (
            <Menu.Item key={id} onClick={() => onApply(searchOfView(kept))}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={refusal !== undefined} onClick={() => setOpen('save')}>
            Save what is shown
          </Menu.Item>
          {views.length > 0 && (
            <Menu.Item disabled={refusal !== undefined} onClick={() => setOpen('manage')}>
              Change saved views
            </Menu.Item>
          )}
          {refusal !== undefined && <Menu.Label>{refusal}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      <Failure error={error} />
      <Dialog
        title="Save a view"
        guide="organizations-and-projects#saved-views"
        isOpen={open === 'save'}
        onClose={close}
      >
        <SaveView projectId={project.id} filters={filters} onDone={close} />
      </Dialog>
      <Dialog title="Saved views" isOpen={open === 'manage'} onClose={close}>
        <Stack>
          {views.map((view) => (
            <ChangeView key={view.id} view={view} filters={filters} />
          ))}
          {views.length === 0 && <Text c="dimmed">No saved views.</Text>}
        </Stack>
      </Dialog>
    </>
  );
}

type Filters = Readonly<Record<string, unknown>>;

function useRefetch(projectId: string) {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: savedViews(projectId).queryKey });
}

interface SaveProps {
  readonly projectId: string;
  readonly filters: Filters;
  readonly onDone: () => void;
}

function SaveView({ projectId, filters, onDone }: SaveProps) {
  const refetch = useRefetch(projectId);
  const [name, setName] = useState('');
  const save = async () => {
    await api.createSavedView({ path: { project_id: projectId }, body: { name: name.trim(), filters } });
    await refetch();
  };
  return (
    <ActForm verb="Save the view" act={save} onDone={onDone}>
      <TextInput
        label="Name"
        description="Everybody in the project sees it"
        placeholder="Failed payments"
        required
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActForm>
  );
}

interface ChangeProps {
  readonly view: View;
  readonly filters: Filters;
}

function ChangeView({ view, filters }: ChangeProps) {
  const path = { project_id: view.project_id, view_id: view.id };
  const refetch = useRefetch(view.project_id);
  const [name, setName] = useState(view.name);
  const acting = useMutation({ mutationFn: (act: () => Promise<unknown>) => act().then(refetch) });
  const isRenamed = name.trim() !== '' && name.trim() !== view.name;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isRenamed) acting.mutate(() => api.updateSavedView({ path, body: { name: name.trim() } }));
  };
  return (
    <form onSubmit={submit} aria-label={view.name}>
      <Stack gap="xs">
        <TextInput
          aria-label={`Name of ${view.name}`}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Button size="xs" type="submit" variant="default" disabled={!isRenamed} loading={acting.isPending}>
            Rename
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => acting.mutate(() => api.updateSavedView({ path, body: { filters } }))}
          >
            Set to what is shown
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={`Delete ${view.name}`}
            onClick={() => acting.mutate(() => api.deleteSavedView({ path }))}
          >
            Delete
          </Button>
        </Group>
        <Failure error={acting.error} />
      </Stack>
    </form>
  );
}
