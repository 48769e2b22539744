import { ActionIcon, Group, Select, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { eqlLanguage, facets } from '../../api/insight.js';
import { fieldOf, isValue, MAX_COMPARED_CHARACTERS, pathOf, type Scalar } from '../../parts/conditions.js';
import { Explained, Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { ActForm } from '../../parts/act-form.js';
import { Suggested } from '../../parts/suggested.js';
import { useTimeRange } from '../../shell/time-range.js';
import { isFixedField, isValueOfVariable, isVariableField, type Variable } from './content.js';
import { isObject } from '../../parts/json.js';

type Value = Variable['value'];

/** Reads the values of variables by their names in an address. */
function valuesIn(json: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(json ?? '{}');
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** Reads the values that an address chooses. Names that it leaves out keep the value of the dashboard. */
export function chosenIn(json: string | undefined, variables: readonly Variable[]): Variable[] {
  const chosen = valuesIn(json);
  return variables.map((variable) => {
    if (!Object.hasOwn(chosen, variable.name)) return variable;
    const value = chosen[variable.name];
    return { ...variable, value: isValueOfVariable(value) ? value : undefined };
  });
}

/** Returns the values of an address with another value of one variable. */
export function withChosen(json: string | undefined, name: string, value: Value): string {
  return JSON.stringify({ ...valuesIn(json), [name]: value ?? null });
}

/** Returns the values of an address without one variable, which then has the value of the dashboard. */
export function withoutChosen(json: string | undefined, name: string): string | undefined {
  const others = Object.entries(valuesIn(json)).filter(([each]) => each !== name);
  return others.length === 0 ? undefined : JSON.stringify(Object.fromEntries(others));
}

/** Returns the conditions of the variables that have a value. */
export function clausesOfVariables(variables: readonly Variable[]): string[] {
  return variables.flatMap(({ field, value }) =>
    value === undefined ? [] : [isValue(isFixedField(field) ? field : fieldOf(field), value)],
  );
}

interface VariablesProps {
  readonly projectId: string;
  readonly variables: readonly Variable[];
  readonly onChoose: (name: string, value: Value) => void;
  /** Undefined: the dashboard is not being edited. */
  readonly onRemove?: ((name: string) => void) | undefined;
}

/** Shows the variables of a dashboard. The most frequent values of the time range are offered, others can be typed. */
export function Variables({ projectId, variables, onChoose, onRemove }: VariablesProps) {
  const { window } = useTimeRange();
  const paths = variables.map(({ field }) => field).filter((field) => !isFixedField(field));
  const { data, error } = useQuery({
    ...facets(projectId, window, {}, [...new Set(paths)]),
    enabled: variables.length > 0,
    placeholderData: keepPreviousData,
  });
  if (variables.length === 0) return null;
  return (
    <Group gap="sm" role="group" aria-label="Variables" align="flex-end">
      {variables.map((variable) => (
        <Group key={variable.name} gap={4} wrap="nowrap" align="flex-end">
          <ValueSelect variable={variable} facets={data?.facets} onChoose={onChoose} />
          {onRemove !== undefined && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove the variable ${variable.name}`}
              onClick={() => onRemove(variable.name)}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
      <Failure error={error} />
    </Group>
  );
}

interface ValueProps {
  readonly variable: Variable;
  readonly facets: Schemas['FacetsOfEvents'] | undefined;
  readonly onChoose: VariablesProps['onChoose'];
}

/** The choice of no value. Values are written as JSON, which is never empty. */
const ALL = '';

function ValueSelect({ variable: { name, field, value }, facets: counted, onChoose }: ValueProps) {
  const known: readonly { readonly value: Scalar; readonly name?: string | null }[] = isFixedField(field)
    ? (counted?.[field] ?? [])
    : (counted?.by?.find((each) => each.field === field)?.values ?? []);
  const options = known.flatMap((each) =>
    isValueOfVariable(each.value)
      ? [{ value: JSON.stringify(each.value), label: each.name ?? labelOf(each.value) }]
      : [],
  );
  const [typed, setTyped] = useState('');
  const chosen = value === undefined ? ALL : JSON.stringify(value);
  const data = [{ value: ALL, label: 'All' }, ...options];
  // The chosen value may have no event in the time range.
  if (value !== undefined && !data.some((each) => each.value === chosen))
    data.push({ value: chosen, label: labelOf(value) });
  // Only the most frequent values are known.
  const other = valueOf(typed, known);
  if (other !== undefined && !data.some(({ label }) => label === labelOf(other)))
    data.push({ value: JSON.stringify(other), label: labelOf(other) });
  return (
    <Select
      label={name}
      w={180}
      searchable
      allowDeselect={false}
      maxLength={MAX_COMPARED_CHARACTERS}
      data={data}
      value={chosen}
      onSearchChange={setTyped}
      onChange={(next) => onChoose(name, next === null || next === ALL ? undefined : (JSON.parse(next) as Value))}
    />
  );
}

/** Returns a typed text as a value: a number where the known values of the field are numbers. */
function valueOf(text: string, known: readonly { readonly value: Scalar }[]): Value {
  if (text.trim() === '') return undefined;
  const isOfNumbers = known.some(({ value }) => typeof value === 'number');
  return isOfNumbers && Number.isFinite(Number(text)) ? Number(text) : text;
}

function labelOf(value: Exclude<Scalar, null>): string {
  return value === '' ? '(empty)' : String(value);
}

interface NewVariableProps {
  readonly projectId: string;
  readonly variables: readonly Variable[];
  readonly onAdd: (variable: Variable) => void;
}

const FIXED = ['event', 'severity', 'status', 'environment', 'source_id'];

/** A form that names a field for all panels. */
export function NewVariable({ projectId, variables, onAdd }: NewVariableProps) {
  const { data: language } = useQuery(eqlLanguage(projectId));
  const [field, setField] = useState<string>();
  const [typed, setTyped] = useState('');
  const fields = [
    ...FIXED,
    ...(language?.fields ?? []).flatMap(({ name, is_property }) => (is_property ? [pathOf(name)] : [])),
  ];
  const add = (): Promise<void> => {
    const name = typed.trim() || (field?.split('.').at(-1) ?? '');
    if (field === undefined || !isVariableField(field))
      return Promise.reject(new Explained('Name a field, such as severity or properties.plan.'));
    if (variables.some((each) => each.name === name))
      return Promise.reject(new Explained(`There is a variable ${name} already. Give this one another name.`));
    onAdd({ name, field });
    return Promise.resolve();
  };
  return (
    <ActForm verb="Add the variable" act={add}>
      <Suggested
        label="Field"
        description="Its value narrows every panel"
        placeholder="properties.plan"
        data={fields}
        limit={50}
        maxLength={200}
        value={field}
        onChange={setField}
      />
      <TextInput
        label="Name"
        description="Empty: the last part of the field"
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ActForm>
  );
}
