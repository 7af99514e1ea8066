//! Merkle trees by the recursive definitions of RFC 6962, section 2.1. The caller passes the hash of a node.

/// A node's hash.
pub type Hash = [u8; 32];

/// `MTH(D[n])`: the head of a tree with at least one leaf.
pub fn root(leaves: &[Hash], node: &impl Fn(&Hash, &Hash) -> Hash) -> Hash {
    match leaves {
        [] => panic!("the caller defines the head of an empty tree"),
        [leaf] => *leaf,
        leaves => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node(&root(left, node), &root(right, node))
        }
    }
}

/// `PATH(m, D[n])`: the inclusion proof of leaf `index`.
pub fn inclusion(index: usize, leaves: &[Hash], node: &impl Fn(&Hash, &Hash) -> Hash) -> Vec<Hash> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let at = split(leaves.len());
    let (left, right) = leaves.split_at(at);
    let (mut path, sibling) = if index < at {
        (inclusion(index, left, node), right)
    } else {
        (inclusion(index - at, right, node), left)
    };
    path.push(root(sibling, node));
    path
}

/// `PROOF(m, D[n])`: the consistency proof from the tree of the first `old` leaves, at least 1.
pub fn consistency(old: usize, leaves: &[Hash], node: &impl Fn(&Hash, &Hash) -> Hash) -> Vec<Hash> {
    subproof(old, leaves, true, node)
}

fn subproof(
    old: usize,
    leaves: &[Hash],
    is_known: bool,
    node: &impl Fn(&Hash, &Hash) -> Hash,
) -> Vec<Hash> {
    if old == leaves.len() {
        return if is_known { Vec::new() } else { vec![root(leaves, node)] };
    }
    let at = split(leaves.len());
    let (left, right) = leaves.split_at(at);
    let (mut proof, sibling) = if old <= at {
        (subproof(old, left, is_known, node), right)
    } else {
        (subproof(old - at, right, false, node), left)
    };
    proof.push(root(sibling, node));
    proof
}

/// The largest power of two below `count`, which is at least 2.
fn split(count: usize) -> usize {
    let mut power = 1;
    while power * 2 < count {
        power *= 2;
    }
    power
}
