// Contents to begin with, and the shape of each. Pure.

export const TEMPLATES = {
  match: {
    name: "Match", type: "MatchAttributes", title: "Ajax – PSV", message: "Kick-off!",
    contentState: '{\n  "home": 0,\n  "away": 0,\n  "clock": "1\'",\n  "period": "First half"\n}',
    attributes: '{\n  "homeTeam": "Ajax",\n  "awayTeam": "PSV",\n  "league": "Eredivisie"\n}',
  },
  delivery: {
    name: "Delivery", type: "OrderAttributes", title: "Your order", message: "is on its way",
    contentState: '{\n  "status": "On its way",\n  "progress": 0.4,\n  "eta": 12\n}',
    attributes: '{\n  "order": "A-1204",\n  "shop": "Corner Bakery"\n}',
  },
  offer: {
    name: "Offer", type: "OfferAttributes", title: "Flash sale", message: "30% off until midnight",
    contentState: '{\n  "discount": "30%",\n  "left": 120,\n  "until": "00:00"\n}',
    attributes: '{\n  "campaign": "Black Friday"\n}',
  },
};

/// A content without anything in it.
export const BLANK = { type: "", title: "", message: "", contentState: "{}", attributes: "{}" };
