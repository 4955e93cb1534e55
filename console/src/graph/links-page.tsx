/** The links of a unit as a graph that grows by clicking, or as a list. The address has the choices. */
import {
  Alert,
  Anchor,
  Button,
  Group,
  MultiSelect,
  SegmentedControl,
  Select,
  Text as Paragraph,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { addressOf } from '../data/grid-row.js';
import { useText } from '../i18n/text.js';
import { useModel, type Model } from '../model/use-model.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { useAddress } from '../shell/use-address.js';
import { ExpandButton } from './expand-button.js';
import { GraphCanvas } from './graph-canvas.js';
import { LinkForm } from './link-form.js';
import { LinksList } from './links-list.js';
import { PathForm } from './path-form.js';
import { useWalk } from './use-walk.js';
import { MOST_UNITS, unitKey, type Walked, type WalkedUnit } from './walked.js';

const STEPS = ['1', '2', '3', '4', '5'] as const;
const WIDTH = 190;
const HEIGHT = 64;

export function LinksPage() {
  const { kind = '', id = '' } = useParams();
  const { model } = useModel();
  const [parameters] = useSearchParams();
  const [types, steps] = [parameters.get('types') ?? '', parameters.get('steps') ?? ''];
  const [changes, setChanges] = useState(0);
  // Other choices, and other links, are another walk.
  return (
    <LinksOfUnit
      key={`${kind} ${id} ${types} ${steps} ${changes}`}
      kind={kind}
      id={id}
      model={model}
      onChange={() => setChanges((count) => count + 1)}
    />
  );
}

interface LinksOfUnitProps {
  readonly kind: string;
  readonly id: string;
  readonly model: Model | undefined;
  /** A link was made or deleted. */
  readonly onChange: () => void;
}

function LinksOfUnit({ kind, id, model, onChange }: LinksOfUnitProps) {
  const text = useText();
  const [parameters, setAddress] = useAddress();
  const [isAdding, setAdding] = useState(false);
  const types = (parameters.get('types') ?? '').split(',').filter((type) => type !== '');
  const wanted = parameters.get('steps') ?? '1';
  const steps = STEPS.find((each) => each === wanted) ?? '1';
  const isList = parameters.get('view') === 'list';
  const { walked, latest, path, error, isBusy, start, expand, findPath } = useWalk({
    kind,
    id,
    types,
    steps: Number(steps),
  });
  const name = walked?.units.get(unitKey(kind, id))?.label ?? id;
  return (
    <div className="page">
      <Group justify="space-between">
        <Title order={1} size="h3" className="model-name">
          {text('graph.title', { name })}
        </Title>
        <Group gap="xs">
          <Anchor component={Link} size="sm" to={addressOf(kind, id)}>
            {text('graph.to_unit')}
          </Anchor>
          <Button size="xs" variant="default" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            {text('graph.add')}
          </Button>
          <SegmentedControl
            size="xs"
            aria-label={text('model.view')}
            data={[
              { value: 'graph', label: text('graph.graph') },
              { value: 'list', label: text('graph.list') },
            ]}
            value={isList ? 'list' : 'graph'}
            onChange={(view) => setAddress({ view: view === 'list' ? view : '' })}
          />
        </Group>
      </Group>
      {isAdding && model && <LinkForm model={model} unit={{ kind, id }} onDone={onChange} />}
      <Group gap="xs" align="end">
        <MultiSelect
          size="xs"
          miw={180}
          label={text('graph.types')}
          placeholder={types.length === 0 ? text('graph.all_types') : ''}
          data={[...(model?.linkTypes.values() ?? [])].map((type) => ({ value: type.id, label: type.label }))}
          value={types}
          onChange={(ids) => setAddress({ types: ids.join(',') })}
        />
        <Select
          size="xs"
          w={130}
          label={text('graph.steps')}
          allowDeselect={false}
          data={[...STEPS]}
          value={steps}
          onChange={(value) => setAddress({ steps: value === '1' ? '' : (value ?? '') })}
        />
        {model && <PathForm model={model} kind={kind} isBusy={isBusy} onFind={findPath} />}
      </Group>
      <div aria-live="polite">
        {path && (
          <Paragraph size="sm">
            {path.length === undefined ? text('graph.no_path') : text('graph.path', { smart_count: path.length })}
          </Paragraph>
        )}
        {walked && walked.leftOut > 0 && (
          <Alert color="yellow">{text('graph.too_many', { most: MOST_UNITS, count: walked.leftOut })}</Alert>
        )}
      </div>
      {error !== undefined && <PageError error={error} {...(!walked && { onRetry: () => void start() })} />}
      {!walked && error === undefined && <Waiting />}
      {walked && walked.links.size === 0 && !isBusy && <Empty>{text('graph.none')}</Empty>}
      {walked && walked.links.size > 0 && isList && (
        <LinksList
          walked={walked}
          model={model}
          marked={path?.links}
          isBusy={isBusy}
          onExpand={(key) => void expand(key)}
          onChanged={onChange}
        />
      )}
      {walked && walked.links.size > 0 && !isList && (
        <WalkedGraph
          walked={walked}
          model={model}
          start={unitKey(kind, id)}
          latest={latest}
          label={text('graph.title', { name })}
          marked={path?.links}
          onExpand={(key) => void expand(key)}
        />
      )}
    </div>
  );
}

interface WalkedGraphProps {
  readonly walked: Walked;
  readonly model: Model | undefined;
  readonly start: string;
  /** The unit whose links were followed last. */
  readonly latest: string;
  readonly label: string;
  readonly marked: ReadonlySet<string> | undefined;
  readonly onExpand: (key: string) => void;
}

function WalkedGraph({ walked, model, start, latest, label, marked, onExpand }: WalkedGraphProps) {
  const boxes = [...walked.units].map(([key, unit]) => ({
    id: key,
    width: WIDTH,
    height: HEIGHT,
    content: <UnitBox unit={unit} model={model} isStart={key === start} onExpand={() => onExpand(key)} />,
  }));
  const lines = [...walked.links.values()].map(({ id, type, source, target }) => ({
    id,
    source,
    target,
    label: model?.linkTypes.get(type)?.label ?? type,
    isMarked: marked?.has(id) ?? false,
  }));
  return <GraphCanvas label={label} boxes={boxes} lines={lines} middle={latest} />;
}

interface UnitBoxProps {
  readonly unit: WalkedUnit;
  readonly model: Model | undefined;
  readonly isStart: boolean;
  readonly onExpand: () => void;
}

function UnitBox({ unit, model, isStart, onExpand }: UnitBoxProps) {
  const { kind, id, label } = unit;
  return (
    <div className="graph-box" data-marked={isStart}>
      <div className="graph-row">
        <Link to={addressOf(kind, id)} className="graph-name" title={label}>
          {label}
        </Link>
      </div>
      <div className="graph-row null">
        <span>{model?.kinds.get(kind)?.label ?? kind}</span>
      </div>
      <ExpandButton unit={unit} onExpand={onExpand} />
    </div>
  );
}
