// SPDX-License-Identifier: Apache-2.0
import {interpolateViridis, rgb} from "d3";

/** Series are told apart by colour and by symbol; style.css has the colours of both schemes. */
export const series = [1, 2, 3, 4, 5, 6].map((index) => `var(--series-${index})`);

/** As many colours for a quantity that has an order, from its least value to its largest: of either
 * scheme the part of the scale that can be told from the ground. */
export function ordered(count) {
  return Array.from({length: count}, (_, i) => {
    const share = count < 2 ? 1 : i / (count - 1);
    return `light-dark(${interpolateViridis(0.42 * (1 - share))}, ${interpolateViridis(0.55 + 0.45 * share)})`;
  });
}

const steps = 9;
const heat = Array.from({length: steps}, (_, step) => interpolateViridis(step / (steps - 1)));

function luminance(colour) {
  const {r, g, b} = rgb(colour);
  const [x, y, z] = [r, g, b].map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

/** A colour for a share from 0 (dark) to 1 (light), and black or white for text on it. */
export function heatColour(share) {
  const place = Math.round(Math.min(1, Math.max(0, share)) * (steps - 1));
  const fill = heat[Number.isFinite(place) ? place : 0];
  return {fill, text: luminance(fill) > 0.179 ? "#000" : "#fff"};
}
