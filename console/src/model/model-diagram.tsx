/** The kinds with their references, drawn. The list has the same as text. */
import { Button, Group, Text as Paragraph } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { fieldOfType } from '../fields/fields.js';
import { GraphCanvas, type DrawnBox, type DrawnLine } from '../graph/graph-canvas.js';
import { useText } from '../i18n/text.js';
import { Empty } from '../shell/page-states.js';
import { useAddress } from '../shell/use-address.js';
import { definitionAddress } from './addresses.js';
import { parametersOf, type Model } from './use-model.js';

const WIDTH = 220;
const ROW = 18;
/** Parameters that a box shows; it says how many others there are. */
const MOST_ROWS = 10;

export function ModelDiagram({ model, find }: { model: Model; find: string }) {
  const text = useText();
  const [parameters, setAddress] = useAddress();
  const focus = parameters.get('focus');
  const references = useMemo(() => referencesOf(model), [model]);
  const shown = useMemo(() => shownKinds(model, references, focus, find), [model, references, focus, find]);
  const setFocus = (id = ''): void => setAddress({ focus: id });
  const isWhole = shown.size === model.kinds.size;
  const boxes = [...[...shown].map((id) => kindBox(id)), ...(isWhole ? [...model.linkTypes.keys()].map(linkBox) : [])];
  const lines = useMemo(
    () => references.filter(({ source, target }) => shown.has(boxKind(source)) && shown.has(boxKind(target))),
    [references, shown],
  );

  function kindBox(id: string): DrawnBox {
    const kind = model.kinds.get(id);
    const rows = kind ? parametersOf(model, kind.parameters, kind.id) : [];
    const more = rows.length - MOST_ROWS;
    const shownRows = more > 0 ? rows.slice(0, MOST_ROWS) : rows;
    const content = (
      <div className="graph-box" data-marked={id === focus}>
        <div className="graph-row">
          <Link to={definitionAddress('kind', id)} className="graph-name" title={id}>
            {kind?.label ?? id}
          </Link>
          <button
            type="button"
            className="graph-button"
            aria-label={text('model.focus', { name: kind?.label ?? id })}
            onClick={() => setFocus(id === focus ? undefined : id)}
          >
            ◎
          </button>
        </div>
        {shownRows.map(({ id: parameter, label, kind_id: type, reference_kind: target }) => (
          <div className="graph-row" key={parameter}>
            <span>{label}</span>
            <span className="null">
              {target === undefined ? fieldOfType(type).label : `→ ${model.kinds.get(target)?.label ?? target}`}
            </span>
          </div>
        ))}
        {more > 0 && <div className="null">{text('model.and_more', { smart_count: more })}</div>}
      </div>
    );
    return { id: `kind ${id}`, width: WIDTH, height: 12 + ROW * (1 + shownRows.length + (more > 0 ? 1 : 0)), content };
  }

  /** Links lead from any kind to any, so that a box of a link type has no lines. */
  function linkBox(id: string): DrawnBox {
    const content = (
      <div className="graph-box" data-dashed>
        <Link to={definitionAddress('link', id)} className="graph-name">
          {model.linkTypes.get(id)?.label ?? id}
        </Link>
        <div className="null">{text('model.any_to_any')}</div>
      </div>
    );
    return { id: `link ${id}`, width: WIDTH, height: 12 + 2 * ROW, content };
  }

  if (model.kinds.size === 0) return <Empty>{text('model.none')}</Empty>;
  if (shown.size === 0) return <Empty>{text('model.none_found')}</Empty>;
  return (
    <>
      <Group gap="xs">
        <Paragraph size="sm" c="dimmed" aria-live="polite">
          {text('model.shown_kinds', { smart_count: shown.size, all: model.kinds.size })}
        </Paragraph>
        {focus !== null && (
          <Button size="xs" variant="default" onClick={() => setFocus(undefined)}>
            {text('model.show_all')}
          </Button>
        )}
        <Paragraph size="sm" c="dimmed">
          {text('model.list_has_all')}
        </Paragraph>
      </Group>
      <GraphCanvas label={text('model.diagram')} boxes={boxes} lines={lines} />
    </>
  );
}

function boxKind(box: string): string {
  return box.slice('kind '.length);
}

/** One line for each parameter of a kind that leads to a kind of the project. */
function referencesOf(model: Model): readonly DrawnLine[] {
  return [...model.kinds.values()].flatMap((kind) =>
    parametersOf(model, kind.parameters, kind.id).flatMap(({ id, label, reference_kind: target }) =>
      target !== undefined && model.kinds.has(target)
        ? [{ id: `${kind.id} ${id}`, source: `kind ${kind.id}`, target: `kind ${target}`, label }]
        : [],
    ),
  );
}

/** The kinds that are asked for, with those beside them. */
function shownKinds(
  model: Model,
  lines: readonly DrawnLine[],
  focus: string | null,
  find: string,
): ReadonlySet<string> {
  const wanted = find.trim().toLowerCase();
  const all = [...model.kinds.values()];
  if (focus === null && wanted === '') return new Set(all.map(({ id }) => id));
  const found = new Set(
    all
      .filter(({ id, label }) => (focus === null ? `${label}\n${id}`.toLowerCase().includes(wanted) : id === focus))
      .map(({ id }) => id),
  );
  const beside = lines.flatMap(({ source, target }) => {
    const ends = [boxKind(source), boxKind(target)];
    return ends.some((id) => found.has(id)) ? ends : [];
  });
  return new Set([...found, ...beside]);
}
