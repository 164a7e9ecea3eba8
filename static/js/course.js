// What lies on a table after plays: { melds, pile, places, steps }. Bookkeeping alone: no rule is known
// here, and what was played is written down, legal or not.
//   melds    of cards as text: [["5C", "8H=6C", "7C"], ...]; pile: cards, the top one last
//   places   every card that lies somewhere, and where: [["5C", "table"], ["QS", "pile"], ...]
//   steps    each play as it is shown: { kind, cards, onto }
export const cardOf = (text) => text.split("=")[0];

const lie = (cards, where) => cards.map((text) => [cardOf(text), where]);

// The table as it is recorded, from the form's data-melds ("5C 8H=6C 7C; 9D 9H 9S") and data-pile.
export function recorded({ melds: laid, pile: lying }) {
  const melds = laid.split("; ").filter(Boolean).map((meld) => meld.split(" "));
  const pile = lying.split(" ").filter(Boolean);
  return { melds, pile, places: [...lie(melds.flat(), "table"), ...lie(pile, "pile")] };
}

// The place in a meld of the wild card that a real one takes the place of. Of a meld that nobody has
// ruled on yet it is not known what its wild card stands for: it is the only one there.
function standIn(meld, card, isWild) {
  const named = meld.findIndex((text) => text.split("=")[1] === card);
  const free = meld.flatMap((text, at) => (isWild(text) ? [at] : []));
  return named >= 0 || free.length !== 1 ? named : free[0];
}

// `plays` are as they are written ("meld 5C 6C 7C", "lay_off 8C onto 0", "swap 6C onto 0 low"); `where`
// is said of their cards, and `isWild` tells a wild card; with `wildsStay` one that is swapped out stays in its meld.
export function course(table, plays, { where = "turn", wildsStay = false, isWild = () => false } = {}) {
  const melds = table.melds.map((meld) => [...meld]);
  let { pile, places } = { pile: [...table.pile], places: [...table.places] };
  const steps = plays.map((play) => {
    const [kind, ...rest] = play.split(" ");
    const at = rest.indexOf("onto");
    const cards = at < 0 ? rest : rest.slice(0, at);
    const onto = at < 0 ? undefined : melds[rest[at + 1]];
    const step = { kind, cards, onto: onto && [...onto] };
    if (kind === "meld") melds.push([...cards]);
    else if (kind === "lay_off") onto?.push(...cards);
    else if (kind === "discard") pile.push(...cards);
    else if (kind === "take_pile") {
      pile = [];
      places = places.filter(([, lies]) => lies !== "pile");
    } else if (kind === "swap" && onto) {
      const place = standIn(onto, cardOf(cards[0]), isWild);
      const [wild] = place < 0 ? [] : onto.splice(place, 1, cardOf(cards[0]));
      const lies = places.findIndex(([card]) => wild && card === cardOf(wild));
      if (wild && wildsStay) onto.push(cardOf(wild));
      else if (lies >= 0) places.splice(lies, 1);
    }
    places.push(...lie(cards, kind === "discard" && where === "table" ? "pile" : where));
    return step;
  });
  return { melds, pile, places, steps };
}
