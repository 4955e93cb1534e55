/** A drawing of boxes and lines that can be moved and zoomed. Whoever shows it also shows a list of the same. */
import { useComputedColorScheme } from '@mantine/core';
import {
  Background,
  BaseEdge,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { Fragment, useEffect, useMemo, type ReactNode } from 'react';
import { useText } from '../i18n/text.js';
import { Waiting } from '../shell/page-states.js';
import { shortened } from '../shell/shortened.js';
import type { Box, Drawing, Line } from './layout.js';
import { pathOf, placesOf, type LinePlace, type Side } from './line-path.js';
import { usePositions } from './use-positions.js';
import './graph.css';

export interface DrawnBox extends Box {
  readonly content: ReactNode;
}

export interface DrawnLine extends Line {
  readonly id: string;
  readonly label: string;
  readonly isMarked?: boolean;
}

interface GraphCanvasProps {
  /** What it is a drawing of. */
  readonly label: string;
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
  /** The box that is in the middle where not all of them fit. */
  readonly middle?: string;
}

type BoxNode = Node<{ content: ReactNode }, 'box'>;
type LineEdge = Edge<{ place: LinePlace }, 'line'>;

const NODE_TYPES = { box: BoxContent };
const EDGE_TYPES = { line: LineContent };
const SIDES: Readonly<Record<Side, Position>> = { left: Position.Left, right: Position.Right };
const EVERYTHING = { maxZoom: 1, padding: 0.05 };
/** Below it, texts can hardly be read. */
const SMALLEST_READABLE = 0.45;
const READABLE = 0.8;
/** Characters of the name of a line. */
const MOST_OF_NAME = 24;
/** Between boxes, beside the name of a line. */
const LEAST_GAP = 80;
/** The width of a character of a name. */
const CHARACTER = 6;
const SMALLEST_ZOOM = 0.02;

export function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ label, boxes, lines, middle }: GraphCanvasProps) {
  const text = useText();
  const scheme = useComputedColorScheme('light');
  const { fitView, getZoom, setCenter } = useReactFlow();
  // Placed again only if boxes or lines are others, not if their contents are.
  const shape = JSON.stringify({
    boxes: boxes.map(({ id, width, height }) => ({ id, width, height })),
    lines: lines.map(({ source, target }) => ({ source, target })),
    gap: gapOf(lines),
  });
  const drawing = useMemo(() => JSON.parse(shape) as Drawing, [shape]);
  const placed = usePositions(drawing);
  const positions = placed?.positions;
  const nodes = useMemo(
    () =>
      boxes.flatMap(({ id, width, height, content }): BoxNode[] => {
        const position = positions?.[id];
        return position ? [{ id, type: 'box', position, width, height, data: { content } }] : [];
      }),
    [boxes, positions],
  );
  const edges = useMemo(() => {
    const places = placesOf(lines, new Map(boxes.map((box) => [box.id, box])), positions ?? {});
    return lines.flatMap(({ id, source, target, label: name, isMarked = false }, at): LineEdge[] => {
      const place = places[at];
      if (!place) return [];
      return [
        {
          id,
          type: 'line',
          source,
          target,
          sourceHandle: `from ${place.from}`,
          targetHandle: `to ${place.to}`,
          data: { place },
          label: shortened(name, MOST_OF_NAME),
          className: isMarked ? 'graph-marked' : '',
          markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--graph-line)' },
        },
      ];
    });
  }, [boxes, lines, positions]);
  useEffect(() => {
    if (!placed) return;
    const show = async (): Promise<void> => {
      await fitView({ ...EVERYTHING, minZoom: SMALLEST_READABLE });
      const box = placed.drawing.boxes.find(({ id }) => id === middle);
      const corner = box && placed.positions[box.id];
      if (!corner || getZoom() > SMALLEST_READABLE) return;
      await setCenter(corner.x + box.width / 2, corner.y + box.height / 2, { zoom: READABLE });
    };
    void show();
  }, [fitView, getZoom, setCenter, placed, middle]);
  if (!positions) return <Waiting />;
  return (
    <div className="graph-canvas">
      <ReactFlow
        aria-label={label}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        colorMode={scheme}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements
        minZoom={SMALLEST_ZOOM}
        fitView
        fitViewOptions={{ ...EVERYTHING, minZoom: SMALLEST_READABLE }}
        ariaLabelConfig={{
          'controls.ariaLabel': text('graph.controls'),
          'controls.zoomIn.ariaLabel': text('graph.zoom_in'),
          'controls.zoomOut.ariaLabel': text('graph.zoom_out'),
          'controls.fitView.ariaLabel': text('graph.fit'),
        }}
      >
        <Background />
        <Controls showInteractive={false} fitViewOptions={EVERYTHING} />
      </ReactFlow>
    </div>
  );
}

function gapOf(lines: readonly DrawnLine[]): number {
  const longest = Math.max(0, ...lines.map(({ label }) => Math.min(label.length, MOST_OF_NAME)));
  return LEAST_GAP + longest * CHARACTER;
}

function BoxContent({ data }: NodeProps<BoxNode>) {
  return (
    <>
      {(['left', 'right'] as const).map((side) => (
        <Fragment key={side}>
          <Handle id={`from ${side}`} type="source" position={SIDES[side]} isConnectable={false} />
          <Handle id={`to ${side}`} type="target" position={SIDES[side]} isConnectable={false} />
        </Fragment>
      ))}
      {data.content}
    </>
  );
}

function LineContent(props: EdgeProps<LineEdge>) {
  const { sourceX, sourceY, targetX, targetY, data, label, markerEnd } = props;
  if (!data) return null;
  const { path, name } = pathOf({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, data.place);
  return <BaseEdge path={path} label={label} labelX={name.x} labelY={name.y} {...(markerEnd && { markerEnd })} />;
}
