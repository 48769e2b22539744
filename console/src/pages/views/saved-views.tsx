import { Button, Checkbox, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { savedViewsKey, savedViewsOf } from '../../api/dashboards.js';
import { MEMBERS, useRefusal } from '../../api/roles.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { offerUndo } from '../../parts/undo.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { usePins } from '../../shell/pins.js';

type View = Schemas['SavedViewResponse'];

interface Props {
  readonly kind: Exclude<Schemas['SavedViewKind'], 'dashboard'>;
  /** The filters or the question of the page, as they are saved. */
  readonly filters: Filters;
  /** Shows the filters of a saved view. */
  readonly onApply: (filters: View['filters']) => void;
}

const VIEW_WORDS = {
  button: 'Views',
  one: 'view',
  all: 'Saved views',
  none: 'No view has been saved yet',
  save: 'Save what is shown',
  placeholder: 'Failed payments',
};
const QUESTION_WORDS = {
  button: 'Saved questions',
  one: 'question',
  all: 'Saved questions',
  none: 'No question has been saved yet',
  save: 'Save this question',
  placeholder: 'Orders by country',
};

/** Lists, saves and changes filters or questions that the members of the project have named. */
export function SavedViews({ kind, filters, onApply }: Props) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(savedViewsOf(project.id, kind));
  const pins = usePins(project.id);
  const refusal = useRefusal(project.id, MEMBERS);
  const [open, setOpen] = useState<'save' | 'manage' | 'pin' | null>(null);
  const words = kind === 'view' ? VIEW_WORDS : QUESTION_WORDS;
  const views = data ?? [];
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="bookmark" size={16} />}>
            {words.button}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          <Menu.Label>{views.length === 0 ? words.none : words.all}</Menu.Label>
          {views.map(({ id, name, filters: kept }) => (
            <Menu.Item key={id} onClick={() => onApply(kept)}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={refusal !== undefined} onClick={() => setOpen('save')}>
            {words.save}
          </Menu.Item>
          {views.length > 0 && (
            <Menu.Item disabled={refusal !== undefined} onClick={() => setOpen('manage')}>
              Change {words.all.toLowerCase()}
            </Menu.Item>
          )}
          {views.length > 0 && <Menu.Item onClick={() => setOpen('pin')}>Pin views to the navigation</Menu.Item>}
          {refusal !== undefined && <Menu.Label>{refusal}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      <Failure error={error} />
      <Dialog
        title={`Save a ${words.one}`}
        guide="organizations-and-projects#saved-views"
        isOpen={open === 'save'}
        onClose={close}
      >
        <SaveView
          projectId={project.id}
          kind={kind}
          verb={`Save the ${words.one}`}
          placeholder={words.placeholder}
          filters={filters}
          onDone={close}
        />
      </Dialog>
      <Dialog title={words.all} isOpen={open === 'manage'} onClose={close}>
        <Stack>
          {views.map((view) => (
            <ChangeView key={view.id} view={view} filters={filters} />
          ))}
          {views.length === 0 && <Text c="dimmed">No {words.all.toLowerCase()}.</Text>}
        </Stack>
      </Dialog>
      <Dialog title="Pinned views" isOpen={open === 'pin'} onClose={close}>
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Pinned views are below the navigation, in this browser only.
          </Text>
          {views.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              checked={pins.ids.includes(id)}
              disabled={pins.refusal !== undefined && !pins.ids.includes(id)}
              onChange={() => pins.toggle(id)}
            />
          ))}
          {pins.refusal !== undefined && (
            <Text size="sm" c="dimmed">
              {pins.refusal}.
            </Text>
          )}
        </Stack>
      </Dialog>
    </>
  );
}

type Filters = Readonly<Record<string, unknown>>;

function useRefetch(projectId: string) {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: savedViewsKey(projectId) });
}

interface SaveProps {
  readonly projectId: string;
  readonly kind: Props['kind'];
  readonly verb: string;
  readonly placeholder: string;
  readonly filters: Filters;
  readonly onDone: () => void;
}

function SaveView({ projectId, kind, verb, placeholder, filters, onDone }: SaveProps) {
  const refetch = useRefetch(projectId);
  const [name, setName] = useState('');
  const save = async () => {
    await api.createSavedView({ path: { project_id: projectId }, body: { name: name.trim(), kind, filters } });
    await refetch();
  };
  return (
    <ActForm verb={verb} act={save} onDone={onDone}>
      <TextInput
        label="Name"
        description="Everybody in the project sees it"
        placeholder={placeholder}
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
  const remove = async () => {
    const { project_id, name: deleted, kind, filters: kept } = view;
    await api.deleteSavedView({ path });
    offerUndo({
      projectId: project_id,
      said: `Deleted “${deleted}”`,
      failed: 'It was not saved again',
      undo: () => api.createSavedView({ path: { project_id }, body: { name: deleted, kind, filters: kept } }),
      readAgain: refetch,
    });
  };
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
            onClick={() => acting.mutate(remove)}
          >
            Delete
          </Button>
        </Group>
        <Failure error={acting.error} />
      </Stack>
    </form>
  );
}
